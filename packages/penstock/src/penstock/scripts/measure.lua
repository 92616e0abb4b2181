-- measure: counts one pipeline's messages by state, and finds the longest wait. Changes nothing.
-- with  now, groups, before
-- KEYS  1 stream  2 alive  3 parked  4 delayed  5 dead letters  6 position
-- ARGV  1 group
-- reply 1 entries in the stream  2 Redis's lag, or -1 if unknown  3 entries never delivered, or -1
--       4 owned by consumers  5 ready  6 suspect  7 parked  8 delayed  9 dead letters
--       10 consumers, without states  11 Penstock consumers whose lease has expired
--       12 ms until the first of the other leases expires, or -1  13 consumers without a lease  14 their longest idle time in ms
--       15 ms that the oldest message that could run now has waited, or 0
--       16 groups of the stream, or 0 if this pipeline's is missing  17 ms until the next message is due, or -1
--       18 entries that vanished before they were delivered to this group, or -1 if unknown; it may lose some
--       19 how many of those were reported, or -1  20 messages that drains cut off since the group was created
local stream, alive, group = KEYS[1], KEYS[2], ARGV[1]
local time = now()
local length = redis.call('XLEN', stream)
local all = groups(stream)
local own
for _, one in ipairs(all) do if one['name'] == group then own = one end end
local owned = {['~ready'] = 0, ['~suspect'] = 0, ['~parked'] = 0}
local held, consumers, expired, first_end, foreign, idle = 0, 0, 0, -1, 0, 0
local waited, lag, new, vanished = 0, -1, length, -1
local head = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
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
  lag = tonumber(own['lag'] or nil) or -1
  new = lag
  if not head or before(own['last-delivered-id'], head[1]) then
    -- Nothing in the stream was delivered, so the length is exact; Redis's lag may include deleted entries.
    new = length
    local read = tonumber(own['entries-read'] or nil)
    if read then
      local reply = redis.call('XINFO', 'STREAM', stream)
      for i = 1, #reply, 2 do
        if reply[i] == 'entries-added' then vanished = math.max(reply[i + 1] - read - length, 0) end
      end
    end
  else
    head = redis.call('XRANGE', stream, '(' .. own['last-delivered-id'], '+', 'COUNT', 1)[1]
    if not head then new = 0 end
  end
end
if head then waited = math.max(waited, time - tonumber(string.match(head[1], '%d+'))) end
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
}
