-- The story of a run whose pod was lost. It ran for the same second as the run before, where that failed or was lost as well.
local function lost(before, due, deadline, timeout, time, life)
  local well, was = pcall(cjson.decode, before or '')
  if not well or type(was) ~= 'table' then was = {} end
  local streak, outcome = tonumber(was.streak) or 0, was.outcome
  local begun = (outcome == 'stopped' or outcome == 'lost') and tonumber(was.next) == due
  return cjson.encode({
    due = (streak > 0 or begun) and tonumber(was.due) or due, acquired = deadline - timeout / 1000, ended = time / 1000,
    outcome = 'lost', class = tostring(was.class or ''), streak = streak, next = due, fence = 0, life = life,
  })
end
