-- Returns the text of an error. Redis 6 prefixes it with the place in the script.
local function error_text(failure)
  return (string.gsub(failure.err, '^@?user_script: ?%d+: ?%-?', ''))
end
