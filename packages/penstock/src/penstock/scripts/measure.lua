-- measure: counts one pipeline's messages by state, and finds the longest wait. Changes nothing.
-- with  now, groups, before
-- KEYS  1 stream  2 alive  3 parked  4 delayed  5 dead letters  6 position  7 finished
-- ARGV  1 group  2 the last part of the previous reply, or nothing
-- reply 1 entries in the stream  2 Redis's lag, or -1 if unknown  3 entries never delivered, or -1
--       4 owned by consumers  5 ready  6 suspect  7 parked  8 delayed  9 dead letters
--       10 consumers, without states  11 Penstock consumers whose lease has expired
--       12 ms until the first of the other leases expires, or -1  13 consumers without a lease  14 their longest idle time in ms
--       15 ms that the oldest message that could run now has waited, or 0
--       16 groups of the stream, or 0 if this pipeline's is missing  17 ms until the next message is due, or -1
--       18 entries that vanished before they were delivered to this group, or -1 if unknown; it may lose some
--       19 how many of those were reported, or -1  20 messages that drains cut off since the group was created
--       21 finished entries that stay in the stream because another group reads it
--       22 1 if part 3 is exact, 0 if it is Redis's lag
--       23 the server on which part 19 was counted, or nothing  24 the large entries that it read, for the next call
-- Only XRANGE and XINFO STREAM return the id of an entry that is not pending, and both copy bodies. A large body would block Redis
-- every time. So a large entry is read once: the caller passes it to the next call, and the janitor writes it into `position` for the
-- first call of others. It is forgotten when it leaves its place, or after ten minutes; if somebody deletes it unread, its age may
-- count until then. XINFO STREAM is not called again while the head or the last entry is large.
local stream, alive, group, finished = KEYS[1], KEYS[2], ARGV[1], KEYS[7]
local LARGE, FORGET = 262144, 600000
local time = now()
local length = redis.call('XLEN', stream)
local all = groups(stream)
local own
for _, one in ipairs(all) do if one['name'] == group then own = one end end
local owned = {['~ready'] = 0, ['~suspect'] = 0, ['~parked'] = 0}
local held, consumers, expired, first_end, foreign, idle = 0, 0, 0, -1, 0, 0
local waited, lag, new, exact, vanished = 0, -1, length, 1, -1
local last, read, left_stream = '0-0', nil, '-'
if own then
  last, read, lag = own['last-delivered-id'], tonumber(own['entries-read'] or nil), tonumber(own['lag'] or nil) or -1
  if read and lag >= 0 then left_stream = string.format('%.0f', lag + read - length) end
end

-- `known`: a large head, the number of entries that had left the stream, and when it was read; a large first unread entry, the
-- last entry delivered before it, and when it was read; the length of the stream when the last entry was large.
local known, large = {}, {'-', '-', '0', '-', '-', '0', '-'}
local before_this = ARGV[2] ~= '' and ARGV[2] or redis.call('HGET', KEYS[6], 'large') or ''
for word in string.gmatch(before_this, '%S+') do known[#known + 1] = word end
if #known ~= #large then known = large end

local function is_large_entry(entry)
  local size = 0
  for _, value in ipairs(entry and entry[2] or {}) do size = size + #value end
  return size >= LARGE
end

local function first_from(place)
  local entry = redis.call('XRANGE', stream, place, '+', 'COUNT', 1)[1]
  return entry and entry[1], is_large_entry(entry)
end

local function is_still_head(id, left, since)
  if id == '-' or length == 0 or time - since > FORGET then return false end
  if before(last, id) or left == left_stream then return true end
  return own and redis.call('XPENDING', stream, group, id, id, 1)[1] ~= nil
end

local head, is_large, since = known[1], true, known[3]
if not is_still_head(head, known[2], since) then
  since = string.format('%.0f', time)
  head, is_large = first_from('-')
end
if is_large then large[1], large[2], large[3] = head, left_stream, since end
if own then
  for _, reply in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
    local one = {}
    for i = 1, #reply, 2 do one[reply[i]] = reply[i + 1] end
    if owned[one['name']] then
      owned[one['name']] = one['pending']
    elseif string.sub(one['name'], 1, 1) ~= '~' then
      consumers, held = consumers + 1, held + one['pending']
      local ends = redis.call('ZSCORE', alive, one['name'])
      if not ends then
        foreign, idle = foreign + 1, math.max(idle, one['idle'])
      else
        local left = math.abs(tonumber(ends)) - time
        if left <= 0 then
          expired = expired + 1
        elseif first_end < 0 or left < first_end then
          first_end = left
        end
      end
    end
  end
  for _, owner in ipairs({'~ready', '~suspect'}) do
    if owned[owner] > 0 then
      for _, one in ipairs(redis.call('XPENDING', stream, group, '-', '+', 100, owner)) do
        waited = math.max(waited, one[3])
      end
    end
  end
  if not head or before(last, head) then
    -- Nothing in the stream was delivered, so the length is exact; Redis's lag may include deleted entries.
    if read and lag > length then
      vanished = lag - length
    elseif known[7] == tostring(length) then
      large[7] = known[7]
    elseif read and not is_large then
      local reply = redis.call('XINFO', 'STREAM', stream)
      for i = 1, #reply, 2 do
        if reply[i] == 'entries-added' then vanished = math.max(reply[i + 1] - read - length, 0) end
        if reply[i] == 'last-entry' and is_large_entry(reply[i + 1]) then large[7] = tostring(length) end
      end
    end
  else
    head, is_large, since = known[4], true, known[6]
    if head == '-' or known[5] ~= last or time - since > FORGET then
      since = string.format('%.0f', time)
      head, is_large = first_from('(' .. last)
    end
    if is_large then large[4], large[5], large[6] = head, last, since end
    if head then new, exact = lag, 0 else new = 0 end
  end
end
if head then waited = math.max(waited, time - tonumber(string.match(head, '%d+'))) end
local next_due = -1
for _, set in ipairs({KEYS[3], KEYS[4]}) do
  local due = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  if due[1] then
    local left = math.max(0, tonumber(due[2]) - time)
    if next_due < 0 or left < next_due then next_due = left end
  end
end
return {
  length, lag, new, held, owned['~ready'], owned['~suspect'], owned['~parked'],
  redis.call('ZCARD', KEYS[4]), redis.call('XLEN', KEYS[5]),
  consumers, expired, first_end, foreign, idle, waited, own and #all or 0, next_due, vanished,
  tonumber(redis.call('HGET', KEYS[6], 'vanished')) or -1, tonumber(redis.call('HGET', KEYS[6], 'cut')) or 0,
  redis.call('SCARD', finished), exact, redis.call('HGET', KEYS[6], 'server') or '',
  large[1] .. large[4] .. large[7] == '---' and '' or table.concat(large, ' '),
}
