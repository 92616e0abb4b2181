-- The limits of labels. The entry of a label and value in `limits` lists runs as `score job`; a run holds a place as long as
-- the working set has its job with exactly this score. So no script frees a place: whatever takes a job out of the working
-- set, or gives it to another run, frees it. Runs without a place are dropped from an entry when it seems full.
-- `word` has the limits as `account=3,region=5`. Returns nil without limits, else two functions: `free(registration)` tells
-- whether a job may run, and `take(registration, score, name)` takes its places. `entries` are those to write.
local function limited(limits, working, word)
  if word == '' then return end
  local most, groups, runs, checked, entries = {}, {}, {}, {}, {}
  for label, limit in string.gmatch(word, '([^=,]+)=(%d+)') do most[label] = tonumber(limit) end
  local function of(registration)
    local known = groups[registration]
    if not known then
      known = {}
      local labels = string.match(registration, '^%d+ %d+ %d+ %S+ (%S+) %d+$')
      for group, label in string.gmatch(labels or '', '(([^=,]+)=[^,]*)') do
        if most[label] then known[#known + 1] = {group, most[label]} end
      end
      groups[registration] = known
    end
    return known
  end
  local function running(group)
    if not runs[group] then
      runs[group] = {}
      for score, name in string.gmatch(redis.call('HGET', limits, group) or '', '(%S+) (%S+)') do
        table.insert(runs[group], {score, name})
      end
    end
    return runs[group]
  end
  local function check(group)
    if checked[group] then return end
    checked[group] = true
    local names, kept = {}, {}
    for place, run in ipairs(runs[group]) do names[place] = run[2] end
    for at = 1, #names, 1000 do
      local scores = redis.call('ZMSCORE', working, unpack(names, at, math.min(#names, at + 999)))
      for place, score in ipairs(scores) do
        local run = runs[group][at + place - 1]
        if run[3] or score and tonumber(score) == tonumber(run[1]) then kept[#kept + 1] = run end
      end
    end
    runs[group] = kept
  end
  local function free(registration)
    for _, one in ipairs(of(registration)) do
      local group, limit = one[1], one[2]
      if #running(group) >= limit then check(group) end
      if #runs[group] >= limit then return false end
    end
    return true
  end
  local function take(registration, score, name)
    for _, one in ipairs(of(registration)) do
      table.insert(runs[one[1]], {score, name, true}) -- not yet in the working set
      entries[one[1]] = runs[one[1]]
    end
  end
  return free, take, entries
end
