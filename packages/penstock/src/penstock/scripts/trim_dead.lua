-- trim_dead: removes a page of expired dead letters, whatever the size of the stream's nodes.
-- with  now, page
-- KEYS  1 dead letters
-- ARGV  1 ms to keep  2 the most to remove  3 bytes per page
-- reply 1 dead letters removed  2 1 if there may be more to remove now
-- keeps every dead letter that has not expired
-- Complete nodes go first, without reading what they contain. If the first node has some that have not expired, or more than the
-- most, they are read and deleted by id.
local dead, most = KEYS[1], tonumber(ARGV[2])
local oldest = string.format('%.0f', math.max(now() - tonumber(ARGV[1]), 1)) .. '-0'
local removed = redis.call('XTRIM', dead, 'MINID', '~', oldest, 'LIMIT', most)
if removed > 0 then return {removed, 1} end
local entries, _, ended = page(dead, '-', '(' .. oldest, most, tonumber(ARGV[3]))
local ids = {}
for i, entry in ipairs(entries) do ids[i] = entry[1] end
if #ids > 0 then redis.call('XDEL', dead, unpack(ids)) end
return {#ids, ended and 0 or 1}
