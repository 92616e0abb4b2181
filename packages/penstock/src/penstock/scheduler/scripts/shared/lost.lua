-- The record of a run whose pod was lost, and its line in the history. It was due at the same second as the previous run if
-- that one failed or was lost.
-- With `counts`, the run counts as a failure of class `lost`, once however often this is repeated; `wait` returns the
-- milliseconds to wait after a number of such runs in a row. A suspect that is not `marked` had not started. Without `counts`,
-- only its pod's claim to the job has ended.
-- Records are parsed and formatted as text, with the field order of `run_record.py`, because a page has hundreds.
-- Returns the record, the line, the second at which the job is due, the failures in a row, the lost runs in a row, and
-- whether this run is one of them.
local SUSPECT = 2 -- lost runs in a row; as in `run_record.py`
local PATTERN = '^{"due":(%d+),.-"outcome":"(%a+)","class":"([^"]*)","streak":(%d+),"next":(%d+),'
local FORMAT = '{"due":%.0f,"acquired":%.3f,"ended":%.3f,"outcome":"lost","class":"%s","streak":%d,"next":%.0f,"fence":0,"life":%s,"lost":%d}'
local PAST = '[%.3f,%.0f,%.3f,"lost",%d,"%s","","",%s]'
local function lost(before, due, deadline, timeout, time, consumer, counts, marked, wait)
  local was, outcome, class, streak, next = string.match(before or '', PATTERN)
  local losses = tonumber(was and string.match(before, '"lost":(%d+)}$') or 0)
  local begun = (outcome == 'stopped' or outcome == 'lost') and tonumber(next) == due
  local first = was and (streak ~= '0' or begun) and tonumber(was) or due
  local began = math.min(deadline - timeout / 1000, time / 1000) -- a deadline is rounded up
  local by = cjson.encode(consumer)
  streak = tonumber(streak or 0)
  local attempt = streak + 1
  if counts and outcome == 'lost' and class == 'lost' and string.find(before, '"life":' .. by, 1, true) then
    due, attempt = tonumber(next), streak -- it was counted before, and what followed failed: no consumer is lost twice
  elseif counts and losses >= SUSPECT and not marked then
    counts = false
  elseif counts then
    class, streak, losses = 'lost', attempt, losses + 1
    local ms = wait(losses)
    if ms > 0 then due = math.ceil((time + ms) / 1000) end
  end
  return string.format(FORMAT, first, began, time / 1000, class or '', streak, due, by, losses),
    string.format(PAST, time / 1000, first, began, attempt, counts and 'lost' or '', by), due, streak, losses, counts
end
