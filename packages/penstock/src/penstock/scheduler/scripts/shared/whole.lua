-- A score of the working set in millionths of a second: as a whole number it is told from others without a doubt.
local function whole(score)
  return math.floor(score * 1000000 + 0.5)
end
