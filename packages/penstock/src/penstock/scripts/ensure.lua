-- ensure: creates the group if it is missing, or moves it forward if it was set back. A first group starts at the start of the
-- stream. A group that vanished or was set back would repeat delivery counts, and so fences.
-- So a group that vanished is created again at the end of the stream, and `position` records that everything before must be
-- brought back by force (`reconcile_stream` does this). If the stream keeps history, only what `remember` recorded as
-- unfinished comes back, in this step, and everything after the end of its record. Leases end with the group: no worker owns
-- anything in the new one.
-- A group that was set back goes forward again. Of the entries that it had delivered again, those that are recorded as finished
-- are acknowledged, and the others are brought back by force. It skips entries that are not pending, because they were delivered
-- before. After a failover they may be unfinished: the new server has the entries, and not their deliveries. So those that are
-- not recorded as finished are left for `reconcile_stream` as well.
-- with  now, groups, before, even_if_full, free_deliveries, recorded, bring_back
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed  5 position  6 finished  7 alive
-- ARGV  1 group  2 `until-done`, or `history` if finished entries stay
--       3 an id up to which the caller knows that entries were delivered, if it got an earlier one as new; or nothing
-- reply `there`, `made`, or `again` if it had vanished or was set back
-- keeps every unfinished message: a new group skips none; the record of what is left comes before a group that skips entries
local stream, parked, uncharged, crashed, position, finished = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local alive, group, history, CHUNK = KEYS[7], ARGV[1], ARGV[2] == 'history', 250
local function find()
  for _, one in ipairs(groups(stream)) do
    if one['name'] == group then return one end
  end
end

local function bring_all_back(ids)
  for first = 1, #ids, CHUNK do
    local some = {unpack(ids, first, math.min(first + CHUNK - 1, #ids))}
    bring_back(stream, group, parked, uncharged, crashed, position, some)
  end
end

-- Returns the last id of the stream, which may not exist.
local function last_id()
  local reply = redis.pcall('XINFO', 'STREAM', stream)
  for i = 1, #reply, 2 do
    if reply[i] == 'last-generated-id' then return reply[i + 1] end
  end
  return '0-0'
end

-- Returns the last id that is known to be delivered, if the stream still has it: a new stream may have lower ids.
local function last_delivered()
  local read = redis.call('HGET', position, 'read') or '0-0'
  if ARGV[3] and ARGV[3] ~= '' and before(read, ARGV[3]) then read = ARGV[3] end
  local reply = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #reply, 2 do
    if reply[i] == 'last-generated-id' and before(reply[i + 1], read) then return nil end
  end
  return read
end

-- Leaves the entries between two ids that are not pending to `reconcile_stream`, with those that are left already.
local function leave(from, to)
  local left, last = unpack(redis.call('HMGET', position, 'left', 'until'))
  from = left and (left == '-' or before(string.sub(left, 2), from)) and left or '(' .. from
  if last and before(to, last) then to = last end
  redis.call('HSET', position, 'left', from, 'until', to)
end

local function go_forward(own, read)
  local unfinished, covers = recorded(position)
  local to, from = before(own, read) and own or read, '-'
  even_if_full(position)
  repeat
    local rows, again, done = redis.call('XPENDING', stream, group, from, to, CHUNK), {}, {}
    for _, row in ipairs(rows) do
      local id = row[1]
      local is_done = history and covers and not unfinished[id] and not before(covers, id)
        and redis.call('HEXISTS', uncharged, id) == 0 -- it came back since the record
      local these = is_done and done or again
      these[#these + 1] = id
    end
    bring_all_back(again)
    if #done > 0 then redis.call('XACK', stream, group, unpack(done)) end
    from = #rows > 0 and '(' .. rows[#rows][1]
  until #rows < CHUNK
  if before(own, read) then
    local from = history and covers and before(own, covers) and covers or own
    if before(from, read) then leave(from, read) end
    redis.call('XGROUP', 'SETID', stream, group, read)
  end
end

local there, exists_since = find(), redis.call('HEXISTS', position, 'since') == 1
if there and exists_since then
  local told = ARGV[3] and ARGV[3] ~= ''
  local recorded_read = redis.call('HGET', position, 'read')
  if not told and not (recorded_read and before(there['last-delivered-id'], recorded_read)) then return 'there' end
  local read = last_delivered()
  if not read then
    redis.call('HDEL', position, 'read')
    return 'there'
  end
  go_forward(there['last-delivered-id'], read)
  return 'again'
end
even_if_full(position)
if there then
  redis.call('HSET', position, 'since', now())
  return 'there'
end
local vanished = exists_since -- or it is the first
-- If the script ends half-way, its repeat finds the group. So everything is left until it is known what must not run again.
if vanished then redis.call('HSET', position, 'left', '-', 'until', last_id()) end
redis.call('XGROUP', 'CREATE', stream, group, vanished and '$' or '0', 'MKSTREAM')
if not vanished or not history then
  local highest = redis.call('HGET', uncharged, '~count')
  redis.call('DEL', parked, uncharged, crashed, finished)
  if highest then redis.call('HSET', uncharged, '~count', highest) end
end
redis.call('HSET', position, 'since', now())
if not vanished then return 'made' end
redis.call('DEL', alive)
local last, left = find()['last-delivered-id'], '-'
if history then
  -- The records of parked and given back entries stay: those that come back here are removed from them, and reconciling
  -- brings back the rest.
  local unfinished, covers = recorded(position)
  local ids = {}
  for id in pairs(unfinished) do ids[#ids + 1] = id end
  bring_all_back(ids)
  redis.call('HSET', position, 'read', last)
  if covers == last then
    redis.call('HDEL', position, 'left', 'until')
    return 'again'
  end
  if covers and before(covers, last) then left = '(' .. covers end -- or it is another stream, with lower ids
end
redis.call('HSET', position, 'left', left, 'until', last)
return 'again'
