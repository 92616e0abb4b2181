-- Redis time in milliseconds since 1970. All due times and leases use it.
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
