# Functions for the attack scripts, which are sourced by scripts/attacks with a clean environment, in a new folder
# $WORK/ws ($HOME is $WORK/home). A script begins with two lines:
#   # attack: what the attacker wants, in a sentence
#   # unprotected: variant | before
# "variant": the script itself leaves the protection out when $VARIANT is "unprotected". "before": an older ralph is
# first in PATH then, and $VARIANT is "before". Either way the attack must succeed there.
# A script sets something up, attacks, then says what must not have happened: must_not_exist, must_be_unchanged,
# must_not_show ... and what the user must have been told: must_say. The last two words of the run decide: any breach
# makes it a success of the attacker.
set -uo pipefail

OUT=$WORK/out  # what the last command under attack printed, stdout and stderr
: >"$OUT"
BREACHES=0

breach() { echo "BREACH: $*"; BREACHES=$((BREACHES + 1)); }
# The script is wrong, or the thing under attack did not even run.
broken() { echo "BROKEN: $*"; [ ! -s "$OUT" ] || tail -n 20 "$OUT"; exit 1; }
skip() { echo "SKIPPED: $*"; exit 77; }
# Sanitizers need terabytes of address space, and to be the first library.
skip_under_sanitizers() { ! grep -qs -e __asan_init -e __tsan_init "$(command -v ralph)" || skip "this is a build with sanitizers"; }
finish() { [ "$BREACHES" -eq 0 ] || exit 10; exit 0; }
protected() { [ "$VARIANT" = protected ]; }

# ---- what must not happen

must_not_exist() { [ ! -e "$1" ] && [ ! -L "$1" ] || breach "'$1' exists"; }
must_exist() { [ -e "$1" ] || [ -L "$1" ] || breach "'$1' is gone"; }
must_hold() { [ "$(cat -- "$1" 2>/dev/null)" = "$2" ] || breach "'$1' does not hold '$2' any more"; }
must_not_hold() { ! grep -qF -- "$2" "$1" 2>/dev/null || breach "'$1' holds '$2'"; }
# An object that a ref of the repository leads to holds this text.
must_be_kept() {
  git rev-list --objects --all | cut -d' ' -f1 | git cat-file --batch | grep -aF -- "$1" >/dev/null || breach "no ref leads to '$1'"
}
must_not_show() { ! grep -qF -- "$1" "$OUT" || breach "the output shows '$1'"; }
must_not_end_with() { [ "$CODE" -ne "$1" ] || breach "the exit code is $1"; }
# What the user is told; checked for the protected variant only.
must_say() { ! protected || grep -qF -- "$1" "$OUT" || broken "nothing says '$1'"; }
must_end_with() { ! protected || [ "$CODE" -eq "$1" ] || broken "exit code $CODE, not $1"; }

# ---- scenery

# A secret outside the workspace; its text is in $SECRET, its path in $SECRET_FILE.
make_secret() {
  SECRET_FILE=${1:-$HOME/secret.txt}
  SECRET="the-secret-$RANDOM$RANDOM"
  mkdir -p "$(dirname "$SECRET_FILE")"
  echo "$SECRET" >"$SECRET_FILE"
}
# The workspace becomes a repository with one commit.
make_repository() {
  git init -q -b main . && git config user.name T && git config user.email t@example.org
  echo one >file.txt
  git add -A && git commit -q -m start
}
# A TCP server on loopback that writes a line to $WORK/reached for each connection. Its port is in $PORT.
make_listener() {
  python3 -u - "$WORK/port" "$WORK/reached" <<'PY' &
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1] + ".tmp", "w").write(str(server.getsockname()[1]))
import os
os.rename(sys.argv[1] + ".tmp", sys.argv[1])
while True:
    peer, _ = server.accept()
    peer.settimeout(2)
    try: got = peer.recv(200)
    except OSError: got = b""
    open(sys.argv[2], "a").write("reached %r\n" % got)
    try: peer.sendall(b"hello\n")
    except OSError: pass
    peer.close()
PY
  LISTENER=$!
  trap 'kill $LISTENER 2>/dev/null' EXIT
  until_true test -s "$WORK/port" || broken "no listener"
  PORT=$(cat "$WORK/port")
}
until_true() {
  local n
  for ((n = 0; n < 3000; n++)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.01
  done
  return 1
}

# ---- what is attacked

# confined GRANT 'command line' [workspace]: bash under the confinement of a grant (reading, editing), with the
# analysis of commands switched off. Unprotected: the same command without a confinement.
confined() {
  local grant=$1
  protected || grant=user
  CODE=0
  "$TOOLS/confined" --grant "$grant" --workspace "${3:-$PWD}" ${DENY:+--deny "$DENY"} ${BACKGROUND:+--background} -- "$2" >"$OUT" 2>&1 || CODE=$?
}
# agent_calls 'SCENARIO STEPS' FLAGS...: our agent against the mock, whose model answers with these steps (JSON, without
# the brackets), then says "done". All events are in $OUT.
agent_calls() {
  local steps=$1; shift
  printf '{"steps": [%s, {"text": "done"}], "then": "repeat_last"}' "$steps" >"$WORK/scenario.json"
  CODE=0
  ralph mock "$WORK/scenario.json" --exec -- ralph agent -p go --output-format stream-json --verbose "$@" \
    >"$OUT" 2>&1 || CODE=$?
}
# agent_bash 'command' FLAGS...: our agent, whose model makes this one Bash call.
agent_bash() {
  local command=$1; shift
  agent_calls "$(jq -nc --arg c "$command" '{tool_use: {name: "Bash", input: {command: $c}}}')" "$@"
  grep -q '"type":"result"' "$OUT" || broken "the agent gave no result"
}
# fake_claude <<'EOF' ... EOF: an agent CLI in bash, installed as `claude` in front of PATH. Its functions: init, say TEXT,
# result TEXT (stream-json lines), answer SUMMARY (the structured answer of a loop).
fake_claude() {
  mkdir -p "$WORK/bin"
  cat >"$WORK/bin/claude" <<'EOF'
#!/usr/bin/env bash
[ "${1:-}" != --version ] || { echo '2.1.325 (Claude Code)'; exit 0; }
id=11111111-2222-3333-4444-555555555555
init() { echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$id\",\"model\":\"claude-sonnet-4-5\",\"cwd\":\"$PWD\",\"tools\":[]}"; }
result() { echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",\"session_id\":\"$id\",\"num_turns\":1,\"duration_ms\":1,\"total_cost_usd\":0.01,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"; }
answer() { echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",\"structured_output\":{\"summary\":\"$1\"},\"session_id\":\"$id\",\"num_turns\":1,\"duration_ms\":1,\"total_cost_usd\":0.01,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"; }
init
EOF
  cat >>"$WORK/bin/claude"
  chmod +x "$WORK/bin/claude"
  export PATH="$WORK/bin:$PATH"
}
# ralph with what follows as arguments; output in $OUT, exit code in $CODE. Claude's own login is not needed.
run_ralph() {
  CODE=0
  IS_SANDBOX=${IS_SANDBOX-1} ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY-test-key-for-attacks} timeout 100 ralph "$@" >"$OUT" 2>&1 || CODE=$?
}
# forge_record NAME BODY: what an attacker does who can read the user's key: a file with a valid MAC in ralph's own folder
# for this workspace. BODY is JSON; a loop must have run here before.
forge_record() {
  python3 - "$1" "$2" <<'PY' || broken "no key to forge with"
import hashlib, hmac, json, os, sys
root = os.path.expanduser("~/.local/state/ralph")
here = os.path.realpath(".")
key = hashlib.sha256(open(root + "/key", "rb").read()).hexdigest().encode()
body = json.dumps({**json.loads(sys.argv[2]), "workspace": here, "inode": "%d:%d" % (os.stat(".").st_dev, os.stat(".").st_ino)})
mac = hmac.new(key, body.encode(), "sha256").hexdigest()
file = os.path.join(root, "loops", hashlib.sha256(here.encode()).hexdigest()[:32], sys.argv[1])
os.makedirs(os.path.dirname(file), exist_ok=True)
json.dump({"mac": mac, "body": body}, open(file, "w"))
PY
}
