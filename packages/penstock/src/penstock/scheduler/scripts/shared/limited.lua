-- The limits of labels. The entry of a label and value in `limits` lists runs as `score job`; a run holds a place as long as
-- the working set has its job with exactly this score. So no script frees a place: whatever takes a job out of the working
-- set, or gives it to another run, frees it. Runs without a place are dropped from an entry when it seems full.
-- `word` has the limits as `account=3,region=5`. Returns nil without limits, else two functions: `free(registration)` tells
-- whether a job may run, and `take(registration, score, name)` takes its places. `entries` are those to write.
-- A call reads about `READ` runs, or all entries of one job if these are more, and then acquires fewer jobs: see
-- `has_read_enough`. Other jobs wait. `turn` is any number: it says for which of `registrations` entries are read first, so
-- that each job gets its turn.
local READ, BYTES, FEWER = 500, 30, 100 -- BYTES: of a run with a short name
local function limited(limits, working, word, registrations, turn)
  if word == '' then return end
  local most, groups, sets, set_of, sizes, readable, runs = {}, {}, {}, {}, {}, {}, {}
  local listed, checked, entries, read, taken = {}, {}, {}, 0, 0
  for label, limit in string.gmatch(word, '([^=,]+)=(%d+)') do most[label] = tonumber(limit) end
  for _, registration in ipairs(registrations) do
    if registration and not groups[registration] then
      local labels = string.match(registration, '^%d+ %d+ %d+ %S+ (%S+) %d+$') or ''
      local known = set_of[labels]
      if not known then
        known = {}
        for group, label in string.gmatch(labels, '(([^=,]+)=[^,]*)') do
          if most[label] then
            known[#known + 1] = {group, most[label]}
            sizes[group] = sizes[group] or redis.call('HSTRLEN', limits, group) / BYTES
          end
        end
        set_of[labels], sets[#sets + 1] = known, known
      end
      groups[registration] = known
    end
  end
  for step = 1, #sets do
    local known, more = sets[(turn + step) % #sets + 1], 0
    for _, one in ipairs(known) do
      if not readable[one[1]] then more = more + sizes[one[1]] end
    end
    if read == 0 or read + more <= READ then
      read = read + more
      for _, one in ipairs(known) do readable[one[1]] = true end
    end
  end
  local function running(group) -- a score and a name for each run
    if not runs[group] then
      local words, count = {}, 0
      for one in string.gmatch(redis.call('HGET', limits, group) or '', '%S+') do
        count = count + 1
        words[count] = one
      end
      runs[group], listed[group] = words, count
    end
    return runs[group]
  end
  local function check(group)
    if checked[group] then return end
    checked[group] = true
    local all, names, kept, count = runs[group], {}, {}, 0
    for place = 1, listed[group] / 2 do names[place] = all[place * 2] end
    for at = 1, #names, 1000 do
      local scores = redis.call('ZMSCORE', working, unpack(names, at, math.min(#names, at + 999)))
      for place, score in ipairs(scores) do
        local own = all[(at + place) * 2 - 3]
        if score and tonumber(score) == tonumber(own) then
          kept[count + 1], kept[count + 2] = own, names[at + place - 1]
          count = count + 2
        end
      end
    end
    for at = listed[group] + 1, #all do kept[#kept + 1] = all[at] end -- taken in this call: not yet in the working set
    runs[group] = kept
  end
  local function free(registration)
    local places = groups[registration]
    for _, one in ipairs(places) do
      if not readable[one[1]] then return false end
    end
    for _, one in ipairs(places) do
      local group, limit = one[1], one[2] * 2
      if #running(group) >= limit then check(group) end
      if #runs[group] >= limit then return false end
    end
    return true
  end
  local function take(registration, score, name)
    for _, one in ipairs(groups[registration]) do
      local all = runs[one[1]]
      all[#all + 1], all[#all + 2] = score, name
      entries[one[1]] = all
    end
    taken = taken + 1
  end
  local function has_read_enough() return read > READ and taken >= FEWER end
  return free, take, entries, has_read_enough
end
