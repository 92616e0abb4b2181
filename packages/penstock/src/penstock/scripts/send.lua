-- send: adds messages to the stream or to the delayed set. Each is accepted or refused separately, in order.
-- with  now, groups, before, page, error_text, key_holder
-- KEYS  1 stream  2 delayed  3 bodies  4 position  5.. the deduplication key of each message, if messages have one
--       the last: finished
-- ARGV  1 group  2 `until-done`, or `history` if finished entries stay  3 backlog limit
--       4 `reject`, `wait`, or `drop-oldest` (only with `until-done`)
--       5 ms that a message is remembered after its due time; 0 if messages have no deduplication key
--       6.. per message: its id; when it is due, as ms from now, or as `@` and ms since 1970;
--       number of values, at most 2,000 (Lua passes about twice as many at once); names and values of the entry
-- reply per message: its entry's id if it is in the stream; its due time in ms since 1970 if it is delayed;
--       or a list: `duplicate` and the id of the first, `full`, or `refused` and Redis's error;
--       or a list: `dropped`, how many unread entries were dropped for it, and one of the above.
--       An error before any write if the server cannot write now (OOM, READONLY, ...), and NOLAG if it cannot count
--       the backlog of a group: Redis before 7 has no lag
-- keeps the order: the message first, then its deduplication key; drops only entries that no group has read
-- With `until-done`, finished entries that stay for another group do not count towards the limit.
-- The key of a dropped message is kept: within its window, the same message is a duplicate.
-- The key of a dead message admits another message, which takes it, but no repeat of the dead one (see `bury`).
local stream, delayed = KEYS[1], KEYS[2]

-- The usual case: one message without a key, for now, and there is room. It needs none of the definitions below, which cost
-- more than the rest of it. A refused XADD has changed nothing, so the general case repeats and explains it.
if ARGV[5] == '0' and ARGV[7] == '0' and ARGV[2] == 'until-done' then
  local last = 8 + ARGV[8]
  if not ARGV[last + 1] and redis.call('XLEN', stream) + redis.call('ZCARD', delayed) < tonumber(ARGV[3]) then
    local entry = redis.pcall('XADD', stream, '*', unpack(ARGV, 9, last))
    if type(entry) == 'string' then return {entry} end
  end
end

local bodies, position = KEYS[3], KEYS[4]
local group, limit, when_full, window = ARGV[1], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local finished = KEYS[#KEYS]
local counts_lag = redis.REDIS_VERSION_NUM
if ARGV[2] == 'history' and not counts_lag then
  return redis.error_reply('NOLAG this server does not report the lag of a group; Redis 7 and later do')
end

-- Redis loses the lag when unread entries are deleted. Until the group has read past the gap, use the number of entries ever
-- added minus those delivered, which includes the deleted ones. After XGROUP CREATE in the middle of a stream, this number is
-- unknown as well; then only pending entries count.
local function unread(one, length)
  local lag, delivered = tonumber(one['lag'] or nil), tonumber(one['entries-read'] or nil)
  if not lag and delivered then
    local reply = redis.call('XINFO', 'STREAM', stream)
    for i = 1, #reply, 2 do
      if reply[i] == 'entries-added' then lag = reply[i + 1] - delivered end
    end
  end
  return math.min(lag or 0, length)
end

local function backlog()
  local length, waiting = redis.call('XLEN', stream), redis.call('ZCARD', delayed)
  if ARGV[2] == 'history' then
    for _, one in ipairs(groups(stream)) do
      if one['name'] == group then return waiting + one['pending'] + unread(one, length) end
    end
  end
  return waiting + length
end

local function later(id, other) return before(id, other) and other or id end

-- Returns the last id that was delivered to any group. Pending entries count as well: an operator can set a group back.
-- It is unknown while this pipeline's group has vanished: later entries may be running.
local delivered
local function last_delivered()
  local last, own = '0-0', false
  for _, one in ipairs(groups(stream)) do
    own = own or one['name'] == group
    last = later(last, one['last-delivered-id'])
    local pending = redis.call('XPENDING', stream, one['name'])
    if pending[3] then last = later(last, pending[3]) end
  end
  return (own or redis.call('HEXISTS', position, 'since') == 0) and last
end

-- Drops a few more than one message needs, so that a backlog above its limit shrinks. Their bodies are read for their ids: after a
-- megabyte of them, drop one at a time.
local bytes_left = 1048576
local function drop(needed)
  if delivered == nil then delivered = last_delivered() end
  if not delivered then return 0 end
  local most = bytes_left > 0 and math.min(needed, 10) or 1
  local entries, size = page(stream, '(' .. delivered, '+', most, math.max(bytes_left, 1))
  bytes_left = bytes_left - size
  local ids = {}
  for i, entry in ipairs(entries) do ids[i] = entry[1] end
  return #ids == 0 and 0 or redis.call('XDEL', stream, unpack(ids))
end

local function failed(reply) return type(reply) == 'table' and reply.err end

-- Redis 6 returns some errors without a code.
local function error_and_code(failure)
  local error = error_text(failure)
  local code = string.match(error, '^(%u[%u%d_]+) ')
  return code and error or 'ERR ' .. error, code
end

-- Errors of the server, not of a message; they occur at the first write or not at all.
local server_wide = {MISCONF = true, NOREPLICAS = true, OOM = true, READONLY = true}

local function delay(id, due, ...)
  local reply = redis.pcall('HSET', bodies, id, cmsgpack.pack({...}))
  if failed(reply) then return reply end
  reply = redis.pcall('ZADD', delayed, due, id)
  if failed(reply) then
    redis.pcall('HDEL', bodies, id) -- or it would look like a message whose due time was lost
    return reply
  end
  return due
end

-- Returns the message whose duplicate this one is, if there is one; and the dead messages of the key.
local function first_of(value, id)
  local holder, dead = key_holder(value)
  for one in string.gmatch(dead, '%S+') do
    if one == id then return id, dead end
  end
  return holder ~= '' and holder, dead
end

local firsts = window > 0 and redis.call('MGET', unpack(KEYS, 5)) or nil
local waiting = backlog()

-- Finished entries are only counted at the limit, so that other sends do not pay for it.
local subtracted = ARGV[2] == 'history'
local function is_full()
  if waiting >= limit and not subtracted then
    subtracted = true
    waiting = math.max(0, waiting - redis.call('SCARD', finished))
  end
  return waiting >= limit
end

local answers, remembered, time, i = {}, {}, nil, 6
for n = 1, math.huge do
  local id = ARGV[i]
  if not id then break end
  local from, due = i + 3, ARGV[i + 1]
  i = from + ARGV[i + 2]
  local key = window > 0 and KEYS[4 + n]
  local known, first, dead = key and (remembered[key] or firsts[n]), nil, ''
  if known then first, dead = first_of(known, id) end
  if first then
    answers[n] = {'duplicate', first}
  else
    local dropped = 0
    if is_full() and when_full == 'drop-oldest' then
      dropped = drop(waiting - limit + 1)
      waiting = waiting - dropped
    end
    local answer
    if dropped == 0 and is_full() then
      answer = {'full'}
    else
      local ahead = 0
      if due ~= '0' then
        time = time or now()
        ahead = string.byte(due) == 64 and string.sub(due, 2) - time or tonumber(due)
      end
      if ahead > 0 then
        answer = delay(id, time + ahead, unpack(ARGV, from, i - 1))
      else
        answer = redis.pcall('XADD', stream, '*', unpack(ARGV, from, i - 1))
      end
      if failed(answer) then
        local error, code = error_and_code(answer)
        if server_wide[code] then return redis.error_reply(error) end
        answer = {'refused', error}
      else
        waiting = waiting + 1
        if key then
          redis.pcall('SET', key, id .. dead, 'PX', window + math.max(0, ahead))
          remembered[key] = id .. dead
        end
      end
    end
    answers[n] = dropped == 0 and answer or {'dropped', dropped, answer}
  end
end
return answers
