-- Finds the runs that still hold their jobs: the working set has exactly the score that they were given. From argument `first`
-- on, each row of `width` arguments begins with a job and that score in microseconds: a quotient and a decimal of the same
-- value are the same double. Returns the names, the scores that the jobs have, and the places of the runs that hold theirs.
local function held(working, first, width)
  local names, ours, count, all = {}, {}, 0, (#ARGV - first + 1) / width
  for place = 1, all do names[place] = ARGV[first + (place - 1) * width] end
  local scores = redis.call('ZMSCORE', working, unpack(names))
  for place = 1, all do
    local score = scores[place]
    if score and score - ARGV[first + (place - 1) * width + 1] / 1000000 == 0 then
      count = count + 1
      ours[count] = place
    end
  end
  return names, scores, ours
end
