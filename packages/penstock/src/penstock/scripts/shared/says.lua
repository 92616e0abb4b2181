-- Returns the message of an error. Redis 6 prefixes it with the place in the script.
local function says(failure)
  return (string.gsub(failure.err, '^@?user_script: ?%d+: ?%-?', ''))
end
