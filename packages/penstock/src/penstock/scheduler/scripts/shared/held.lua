-- Finds the runs that still have their jobs: the score in the working set is exactly the one that the run got. From argument
-- `first` on, each row of `width` arguments starts with a job and that score in microseconds; dividing it by a million gives
-- the same double as parsing the decimal score. Returns the names, the current scores, and the positions of these runs.
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
