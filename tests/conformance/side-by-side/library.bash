# What the `cmd` of a case may say, besides `claude` (the agent under test) and `$OTHER` (the other one).
# shellcheck shell=bash disable=SC2034
json=(--output-format stream-json --verbose)
input=(--input-format stream-json "${json[@]}")

# ended: the exit code of the last command becomes a line of what is compared.
ended() { echo "{\"type\":\"exit\",\"code\":$?}"; }

# other ARGS…: the other agent, however it ends; neither its output nor its requests are compared.
other() {
  "$OTHER" "$@" >other.out 2>&1 || true
  wc -l <requests.ndjson >other.requests
}

# talk ARGS…: starts the agent with its input open. Then `say`, `send`, `await`, `signal`, `close_input`; `finish` ends it.
talk() {
  # Bash lets jobs in the background ignore SIGINT.
  coproc AGENT { exec env --default-signal=INT,QUIT claude "$@"; }
  agent=$AGENT_PID
  exec {from}<&"${AGENT[0]}" {to}>&"${AGENT[1]}"
  eval "exec ${AGENT[0]}<&- ${AGENT[1]}>&-"
}
send() { printf '%s\n' "$@" >&"$to"; }
# say TEXT [UUID]: one user message.
message() { jq -nc '{type: "user", message: {role: "user", content: $ARGS.positional[0]}} +
  if $ARGS.positional[1] then {uuid: $ARGS.positional[1]} else {} end' --args -- "$@"; }
say() { send "$(message "$@")"; }
# await JQ: passes events on until one fits.
await() {
  local line
  while IFS= read -r -t 60 line <&"$from"; do
    printf '%s\n' "$line"
    ! jq -e "$1" <<<"$line" >/dev/null || return 0
  done
  echo "never came: $1" >&2
  return 1
}
signal() { kill -s "$1" "$agent"; }
close_input() { [ -z "$to" ] || exec {to}>&-; to=; }
finish() {
  close_input
  cat <&"$from"
  wait "$agent"
}
