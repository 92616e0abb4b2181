-- claim: gives suspects and ready entries to this consumer, each with one more delivery.
-- A suspect that has used its last attempt gets one more, which only a worker that runs nothing else may claim. `crashed`
-- records which attempt that is: a suspect that has made it was lost while it ran alone, and any worker may claim it to bury
-- it. A suspect that was given back has not made it.
-- A worker whose memory allows no other process, `cramped`, runs every suspect like that: it cannot fork. Only the additional
-- attempt is recorded, so that a loss before it never buries.
-- For such suspects, one busy worker at a time stops taking messages until it is empty. If it does not get empty in time, or if
-- its lease has expired, another worker may try. A worker with something that may never end does not try.
-- If finished entries stay, `take_over` has recorded in `crashed` that a suspect is unfinished. The claim moves this record to
-- `uncharged`, so that a consumer that is deleted with its worker loses no message that was a suspect (see `reconcile_left`).
-- Claims stop after a number of bytes, and the reply leaves out bodies that no worker can use: those above the limit, and
-- those of entries that were lost alone, unless they are small, because they may have been too large for that worker.
-- with  now, even_if_full, weigh, free_deliveries
-- KEYS  1 stream  2 alive  3 uncharged  4 crashed  5 position
-- ARGV  1 group  2 consumer  3 the most suspects  4 the most ready entries  5 attempts of a message
--       6 `alone` if this worker became empty for this: claims one suspect that must run alone, and nothing else;
--       `idle` if it runs nothing, `busy` if it does, `stuck` if something may never end  7 ms to become empty
--       8 `cramped` if this worker must run suspects alone, because memory allows no child process; `roomy` if not
--       9 the field with the body, empty if each field is a part of it  10 the most bytes of a body  11 bytes to stop after
-- reply `lost` if this consumer's own lease is lost; else
--       1 entries that were deleted from the stream, now dropped
--       2 suspects that wait for an empty worker, if this worker is to become empty; negative if not
--       3.. one list per entry: id, delivery count, uncharged deliveries, previous owner, fields, 1 if it was lost alone,
--           bytes of the body if it was left out: then `fields` only has the message's id and its deduplication key
local stream, alive, uncharged, crashed, position = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local group, consumer, attempts, alone = ARGV[1], ARGV[2], tonumber(ARGV[5]), ARGV[6] == 'alone'
local cramped, body_field, most_body, bytes = ARGV[8] == 'cramped', ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11])
local ends = redis.call('ZSCORE', alive, consumer)
if not ends or tonumber(ends) < 0 then return 'lost' end
local empties = redis.call('HGET', position, 'emptying') or ''

local claimed, gone, waiting, seen = {0, 0}, 0, 0, 0
local SMALL, KEPT = 65536, {['penstock-id'] = true, ['penstock-key'] = true}

-- Returns the fields to reply with, and the bytes of the body if they are not all.
local function shown(fields, was_lost_alone)
  local all, body = weigh(fields, body_field)
  seen = seen + all
  if body <= most_body and not (was_lost_alone and all > SMALL) then return fields, 0 end
  local kept = {}
  for i = 1, #fields, 2 do
    if KEPT[fields[i]] and #fields[i + 1] <= SMALL then
      kept[#kept + 1] = fields[i]
      kept[#kept + 1] = fields[i + 1]
    end
  end
  return kept, math.max(1, body)
end

-- Claims the first entries of a page that this worker may claim. Returns how many, and how many it inspected. Large entries
-- are claimed a few at a time, because each claim copies their bodies.
-- Commands that may fail come before the claim: no worker would run an entry whose claim was not answered.
local function claim_of(pending, owner, most)
  local counted, crashes = redis.call('HLEN', uncharged) > 0, redis.call('HLEN', crashed) > 0
  local all, counts, free_of, lost_alone, spent, marked, ids, inspected = {}, {}, {}, {}, {}, {}, {}, 0
  for i, one in ipairs(pending) do all[i] = one[1] end
  local free = counted and redis.call('HMGET', uncharged, unpack(all)) or {}
  local alone_in = crashes and owner == '~suspect' and redis.call('HMGET', crashed, unpack(all)) or {}
  while inspected < #pending and #ids < most do
    inspected = inspected + 1
    local id, count = all[inspected], pending[inspected][4]
    counts[id], free_of[id] = count, (free_deliveries(free[inspected], count))
    local had = count - free_of[id]
    local suspect = owner == '~suspect'
    spent[id] = suspect and had >= attempts
    marked[id] = alone_in[inspected] == 'lost' and not free[inspected]
    if spent[id] and had >= (tonumber(alone_in[inspected]) or math.huge) then lost_alone[id] = 1 end
    local needs_empty = suspect and (spent[id] or cramped) and not lost_alone[id]
    if needs_empty == alone then
      ids[#ids + 1] = id
    elseif needs_empty then
      waiting = waiting + 1
    end
  end
  if #ids == 0 then return 0, inspected end
  local there, moved = {}, 0
  even_if_full(crashed)
  local first, step = 1, 1
  while first <= #ids and seen < bytes do
    local last = math.min(#ids, first + step - 1)
    for _, entry in ipairs(redis.call('XCLAIM', stream, group, consumer, 0, unpack(ids, first, last))) do
      if entry and entry[2] then
        local id = entry[1]
        local fields, left_out = shown(entry[2], lost_alone[id])
        there[id], moved = true, moved + 1
        claimed[#claimed + 1] = {id, counts[id] + 1, free_of[id], owner, fields, lost_alone[id] or 0, left_out}
        if alone and spent[id] then
          redis.call('HSET', crashed, id, counts[id] + 1 - free_of[id])
        elseif owner == '~suspect' and crashes and not lost_alone[id] then
          if marked[id] then
            redis.call('HSET', uncharged, id, string.format('%.0f@%.0f', free_of[id], counts[id]))
          end
          redis.call('HDEL', crashed, id) -- `retries.attempts` was raised since: this attempt is not made alone
        end
      end
    end
    -- Entries that were deleted from the stream: Redis 7 drops them when they are claimed, Redis 6 does not.
    for i = first, last do
      local id = ids[i]
      if not there[id] then
        redis.call('XACK', stream, group, id)
        if counted then redis.call('HDEL', uncharged, id) end
        if crashes then redis.call('HDEL', crashed, id) end
        gone = gone + 1
      end
    end
    first = last + 1
    step = math.max(1, math.min(4 * step, 1000, math.floor((bytes - seen) * math.max(1, moved) / math.max(1, seen))))
  end
  return moved, inspected
end

-- Page by page, so that suspects that must run alone never hide those behind them; stops after a thousand of them.
local function claim(owner, most)
  local from, others = '-', 0
  while most > 0 and others < 1000 and seen < bytes do
    local page = math.min(most + 20, 250)
    local pending = redis.call('XPENDING', stream, group, from, '+', page, owner)
    if #pending == 0 then return end
    local moved, inspected = claim_of(pending, owner, most)
    if inspected == #pending and inspected < page then return end
    most, others, from = most - moved, others + inspected - moved, '(' .. pending[inspected][1]
  end
end
claim('~suspect', alone and 1 or tonumber(ARGV[3]))
if not alone then claim('~ready', tonumber(ARGV[4])) end

-- Whether this worker should become empty. An idle worker always may.
local over, holder = string.match(empties, '^(%d+) (.*)$')
local function is_to_empty()
  if ARGV[6] == 'stuck' then
    if holder == consumer then redis.call('HDEL', position, 'emptying') end
    return false
  end
  if ARGV[6] == 'idle' and #claimed == 2 then return true end
  local time = now()
  if holder and tonumber(over) > time and tonumber(redis.call('ZSCORE', alive, holder) or 0) > time then
    return holder == consumer
  end
  even_if_full(position)
  redis.call('HSET', position, 'emptying', string.format('%.0f %s', time + ARGV[7], consumer))
  return true
end
if alone and holder == consumer then redis.call('HDEL', position, 'emptying') end
if waiting > 0 and not is_to_empty() then waiting = -waiting end
claimed[1], claimed[2] = gone, waiting
return claimed
