-- promote: promotes due messages, and reports whether entries can be claimed.
-- Parked entries that `~parked` still owns become ready, or suspect again if their handler crashed. Those that are not pending
-- were lost when a foreign client deleted `~parked`: they are brought back by force. Delayed messages enter the
-- stream; if Redis refuses them because its memory is full, parked entries are promoted nevertheless.
-- with  now, groups, pending, error_text, even_if_full, free_deliveries, recorded, bring_back
-- KEYS  1 stream  2 parked  3 delayed  4 bodies  5 crashed  6 uncharged  7 position
-- ARGV  1 group  2 the most of each to promote  3 the most bytes of bodies
-- reply 1 Redis time  2 parked entries promoted  3 delayed messages promoted  4 lost: parked entries that had left the stream,
--       delayed messages whose body is missing or invalid  5 ms until the next is due, or -1
--       6 1 if an entry is ready  7 1 if an entry is suspect  8 why delayed messages were refused, or nothing
--       9 the last entry that was delivered to the group  10 1 while entries are left for `reconcile_stream` (see `ensure`)
local stream, parked, delayed, bodies, crashed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local group, most, bytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = now()

-- Returns the XADD of a body; nil for an invalid body of a foreign sender, which must not block later ones.
local function addition(body)
  local readable, values = pcall(cmsgpack.unpack, body)
  if not readable or type(values) ~= 'table' or #values == 0 or #values % 2 == 1 then return nil end
  local command = {'XADD', stream, '*'}
  for i, value in ipairs(values) do
    if type(value) ~= 'string' then return nil end
    command[i + 3] = value
  end
  return pcall(function() return select('#', unpack(command)) end) and command or nil
end

-- Delayed messages come first: after the script's first write, a full Redis would accept them.
local entered, without, refused = 0, {}, ''
for _, id in ipairs(redis.call('ZRANGEBYSCORE', delayed, '-inf', time, 'LIMIT', 0, most)) do
  local body = redis.call('HGET', bodies, id)
  bytes = bytes - (body and #body or 0)
  if bytes < 0 and entered + #without > 0 then break end
  local command = body and addition(body)
  if command then
    local reply = redis.pcall(unpack(command))
    if type(reply) == 'table' and reply.err then
      refused = error_text(reply)
      break
    end
    redis.call('ZREM', delayed, id)
    redis.call('HDEL', bodies, id)
    entered = entered + 1
  else
    without[#without + 1] = id
  end
end
if #without > 0 then
  redis.call('ZREM', delayed, unpack(without))
  redis.call('HDEL', bodies, unpack(without))
end

local due = redis.call('ZRANGEBYSCORE', parked, '-inf', time, 'LIMIT', 0, most)
local ready, suspects, nowhere = {}, {}, {}
for _, id in ipairs(due) do
  local one, is_id = pending(stream, group, id)
  if is_id and not one then
    nowhere[#nowhere + 1] = id
  elseif one and one[2] == '~parked' then
    local to = redis.call('HEXISTS', crashed, id) == 1 and suspects or ready
    to[#to + 1] = id
  end
end
-- Entries that were deleted from the stream: Redis 7 drops them here, Redis 6 when they are claimed.
local gone = 0
for owner, ids in pairs({['~ready'] = ready, ['~suspect'] = suspects}) do
  for _, id in ipairs(ids) do
    if #redis.call('XCLAIM', stream, group, owner, 0, id, 'JUSTID') == 0 then gone = gone + 1 end
  end
end
gone = gone + #nowhere - bring_back(stream, group, parked, KEYS[6], crashed, KEYS[7], nowhere)
if #due > 0 then redis.call('ZREM', parked, unpack(due)) end

local next_due = -1
for _, set in ipairs({parked, delayed}) do
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  if first[1] and (set == parked or refused == '') then
    local left = math.max(0, tonumber(first[2]) - time)
    if next_due < 0 or left < next_due then next_due = left end
  end
end
local delivered = '0-0'
for _, one in ipairs(groups(stream)) do
  if one['name'] == group then delivered = one['last-delivered-id'] end
end
return {
  time, #ready + #suspects + #nowhere - gone, entered, #without + gone, next_due,
  #redis.call('XPENDING', stream, group, '-', '+', 1, '~ready'),
  #redis.call('XPENDING', stream, group, '-', '+', 1, '~suspect'),
  refused, delivered, redis.call('HEXISTS', KEYS[7], 'left'),
}
