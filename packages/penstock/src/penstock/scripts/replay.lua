-- replay: one dead letter goes back into the stream, and leaves the dead letters in the same step.
-- It passes deduplication and the backlog's limit: it was accepted before. A new entry counts its attempts from the start.
-- KEYS  1 dead letters  2 stream
-- ARGV  1 the dead letter's id  2.. names and values of the entry; Lua hands over somewhat less than 8,000 at once
-- reply the new entry's id, or nothing when the dead letter is not there any more
-- keeps P2 (the stream first, removal last); called again after a lost answer it changes nothing
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then return false end
local id = redis.call('XADD', KEYS[2], '*', unpack(ARGV, 2))
redis.call('XDEL', KEYS[1], ARGV[1])
return id
