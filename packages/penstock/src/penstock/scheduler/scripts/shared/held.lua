-- Which runs still hold their jobs: the working set has exactly the score that they were given. Rows of `width` arguments
-- from `first` on begin with a job and that score, in millionths: a quotient and a decimal that are the same number are the
-- same double. Tells the places of those in order, and of each job the score it has.
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
