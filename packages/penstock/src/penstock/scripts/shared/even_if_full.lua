-- Makes a full Redis accept the following writes. Redis refuses commands that may need memory only before a script's first
-- write, so this is a write that changes nothing. For steps by which work finishes or continues: if they were refused, Redis
-- would stay full.
local function even_if_full(key)
  redis.call('PERSIST', key)
end
