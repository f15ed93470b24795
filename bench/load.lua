-- For wrk: posts the lines of a file in turn, each to every path in turn. Placeholders of a line become a number that no
-- other request has.
--   wrk --threads 1 … --script load.lua http://ADDRESS -- FILE PATH …
local PLACEHOLDER = "@@@@@@@@"
-- Requests, each cut at its placeholders.
local requests, paths, sent = {}, 0, 0

local function cut(text)
  local pieces, from = {}, 1
  local first, last = text:find(PLACEHOLDER, from, true)
  while first do
    pieces[#pieces + 1] = text:sub(from, first - 1)
    from = last + 1
    first, last = text:find(PLACEHOLDER, from, true)
  end
  pieces[#pieces + 1] = text:sub(from)
  return pieces
end

function init(arguments)
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do
    headers[name] = value
  end
  paths = #arguments - 1
  for line in io.lines(arguments[1]) do
    for place = 2, #arguments do
      -- A number is as long as its placeholder, so the length of the body stays.
      requests[#requests + 1] = cut(wrk.format("POST", arguments[place], headers, line))
    end
  end
end

function request()
  local pieces = requests[sent % #requests + 1]
  local number = math.floor(sent / paths)
  sent = sent + 1
  return #pieces == 1 and pieces[1] or table.concat(pieces, string.format("%08d", number))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"seconds": %.3f, "answered": %d, "refused": %d, "p99_ms": %.3f, "failed": %d}\n',
    summary.duration / 1e6, summary.requests, errors.status, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.timeout))
end
