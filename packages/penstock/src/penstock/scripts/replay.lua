-- replay: moves one dead letter back into the stream, in one step.
-- It skips deduplication and the backlog limit, because the message was accepted before. The new entry's attempts start at one.
-- KEYS  1 dead letters  2 stream
-- ARGV  1 the dead letter's id  2.. names and values of the entry; Lua passes a little less than 8,000 at once
-- reply the new entry's id, or nothing if the dead letter is gone
-- keeps the order: the stream first, the removal last; a repeat after a lost answer changes nothing
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then return false end
local id = redis.call('XADD', KEYS[2], '*', unpack(ARGV, 2))
redis.call('XDEL', KEYS[1], ARGV[1])
return id
