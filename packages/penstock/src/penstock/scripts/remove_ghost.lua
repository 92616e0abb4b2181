-- remove_ghost: removes a foreign consumer whose process is gone. A page of its entries becomes suspect; when it owns nothing,
-- it is deleted. It must still have no lease, and have been idle for the given time.
-- with  even_if_full
-- KEYS  1 stream  2 alive
-- ARGV  1 group  2 consumer  3 ms that it must have been idle  4 entries per page
-- reply 1 `done`, `more`, `none` or `busy`  2 entries that are suspect now  3 deleted entries, now dropped
-- keeps a consumer that owns entries: Redis would drop them with it
local stream, group, consumer = KEYS[1], ARGV[1], ARGV[2]
if redis.call('ZSCORE', KEYS[2], consumer) then return {'busy', 0, 0} end
local idle
for _, reply in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
  local one = {}
  for i = 1, #reply, 2 do one[reply[i]] = reply[i + 1] end
  if one['name'] == consumer then idle = one['idle'] end
end
if not idle then return {'none', 0, 0} end
if idle < tonumber(ARGV[3]) then return {'busy', 0, 0} end
local moved, gone = 0, 0
local command = {'XCLAIM', stream, group, '~suspect', 0}
for _, one in ipairs(redis.call('XPENDING', stream, group, '-', '+', ARGV[4], consumer)) do command[#command + 1] = one[1] end
if #command > 5 then
  local owned = #command - 5
  command[#command + 1] = 'JUSTID'
  moved = #redis.call(unpack(command))
  gone = owned - moved
end
if redis.call('XPENDING', stream, group, '-', '+', 1, consumer)[1] then return {'more', moved, gone} end
even_if_full(KEYS[2]) -- or a full Redis 6 refuses it
redis.call('XGROUP', 'DELCONSUMER', stream, group, consumer)
return {'done', moved, gone}
