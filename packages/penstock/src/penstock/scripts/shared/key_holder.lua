-- Splits the value of a deduplication key: the id of the message that holds it, empty if that message is dead; and the ids of
-- its last dead holders, each after a space. A repeat of a dead message is still a duplicate; any other message may take the
-- key.
local function key_holder(value)
  local holder, dead = string.match(value or '', '^(%S*)(.*)$')
  return holder or '', dead or ''
end
