-- The record of a run whose pod was lost, and its line in the history. It was due at the same second as the previous run if
-- that one failed or was lost.
-- Records are parsed and formatted as text, with the field order of `run_record.py`, because a page has hundreds.
local PATTERN = '^{"due":(%d+),.-"outcome":"(%a+)","class":"([^"]*)","streak":(%d+),"next":(%d+),'
local FORMAT = '{"due":%.0f,"acquired":%.3f,"ended":%.3f,"outcome":"lost","class":"%s","streak":%s,"next":%.0f,"fence":0,"life":%s}'
local PAST = '[%.3f,%.0f,%.3f,"lost",%d,"","","",%s]'
local function lost(before, due, deadline, timeout, time, consumer)
  local was, outcome, class, streak, next = string.match(before or '', PATTERN)
  local begun = (outcome == 'stopped' or outcome == 'lost') and tonumber(next) == due
  local first = was and (streak ~= '0' or begun) and tonumber(was) or due
  local began = math.min(deadline - timeout / 1000, time / 1000) -- a deadline is rounded up
  local by = cjson.encode(consumer)
  return string.format(FORMAT, first, began, time / 1000, class or '', streak or '0', due, by),
    string.format(PAST, time / 1000, first, began, (streak or 0) + 1, by)
end
