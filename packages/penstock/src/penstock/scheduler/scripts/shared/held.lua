-- Which runs still hold their jobs: the working set has exactly the score that they were given. Rows of `width` arguments
-- from `first` on begin with a job and that score. Tells the places of those in order, and of each job the score it has.
local function held(working, first, width)
  local names, ours = {}, {}
  for at = first, #ARGV, width do names[#names + 1] = ARGV[at] end
  local scores = redis.call('ZMSCORE', working, unpack(names))
  for place = 1, #names do
    if scores[place] and whole(scores[place]) == tonumber(ARGV[first + (place - 1) * width + 1]) then
      ours[#ours + 1] = place
    end
  end
  return names, scores, ours
end
