-- A score of the waiting set: full seconds, and a fraction that is smaller for a higher priority.
local function score(due, priority)
  return string.format('%.0f.%03d', due, 999 - priority)
end
