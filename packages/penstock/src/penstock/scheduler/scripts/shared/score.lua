-- A score of the waiting set: whole seconds; a higher priority has the smaller fraction.
local function score(due, priority)
  return string.format('%.0f.%03d', due, 999 - priority)
end
