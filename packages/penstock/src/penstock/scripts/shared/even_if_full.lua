-- Makes a full Redis accept the writes that follow. Redis refuses commands that may need memory only while a script has not
-- written, so this is a write that changes nothing. For steps through which work ends or continues: refusing them would keep
-- Redis full.
local function even_if_full(key)
  redis.call('PERSIST', key)
end
