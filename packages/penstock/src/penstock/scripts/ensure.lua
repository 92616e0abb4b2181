-- ensure: creates the group if it is missing. A first group starts at the start of the stream. A group that vanished would
-- repeat delivery counts, and so fences. So it is created again at the end of the stream, and `position` records that
-- everything before must be brought back by force (`reconcile_stream` does this). If the stream keeps history, the group starts
-- after the last entry up to which, as the janitor recorded, everything was finished.
-- with  now, groups, even_if_full
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed  5 position  6 finished
-- ARGV  1 group  2 `until-done`, or `history` if finished entries stay
-- reply `there`, `made`, or `again` if it had vanished
-- keeps every unfinished message: a new group skips none
local stream, parked, uncharged, crashed, position, finished = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local group = ARGV[1]
local function find()
  for _, one in ipairs(groups(stream)) do
    if one['name'] == group then return one end
  end
end
local there, known = find(), redis.call('HEXISTS', position, 'since') == 1
if there and known then return 'there' end
even_if_full(position)
if there then
  redis.call('HSET', position, 'since', now())
  return 'there'
end
local vanished = known -- or it is the first
local start = '0'
if vanished then start = ARGV[2] == 'history' and (redis.call('HGET', position, 'last') or '0') or '$' end
redis.call('XGROUP', 'CREATE', stream, group, start, 'MKSTREAM')
local highest = redis.call('HGET', uncharged, '~count')
redis.call('DEL', parked, uncharged, crashed, finished)
if highest then redis.call('HSET', uncharged, '~count', highest) end
redis.call('HSET', position, 'since', now())
if vanished and start == '$' then
  redis.call('HSET', position, 'left', '-', 'until', find()['last-delivered-id'])
end
return vanished and 'again' or 'made'
