-- What Redis says of a failure. Redis 6 puts the place in the script before it.
local function says(failure)
  return (string.gsub(failure.err, '^@?user_script: ?%d+: ?%-?', ''))
end
