# For attack scripts: what an agent can put in the place of a file of ralph's, and a terminal to show escapes on.

# A file of the user's outside the workspace, which nothing may read, change or remove.
make_precious() {
  PRECIOUS=$HOME/precious
  TEXT="precious-text-$RANDOM$RANDOM"
  mkdir -p "$HOME/notes"
  echo "$TEXT" >"$PRECIOUS"
  echo "$TEXT" >"$HOME/notes/todo.md"
}
must_be_untouched() {
  must_hold "$PRECIOUS" "$TEXT"
  must_hold "$HOME/notes/todo.md" "$TEXT"
  must_not_show "$TEXT"
}
# ralph with what follows as arguments; one that waits, or dies by a signal of its own, is a breach.
quick() {
  local limit=20
  protected || limit=2
  CODE=0
  IS_SANDBOX=1 ANTHROPIC_API_KEY=test-key-for-attacks timeout -s KILL $limit ralph "$@" >"$OUT" 2>&1 </dev/null || CODE=$?
  [ "$CODE" -ne 137 ] || breach "'ralph $1' hangs"
  [ "$CODE" -lt 128 ] || [ "$CODE" -ge 137 ] || [ "$CODE" -eq 130 ] || breach "'ralph $1' crashed"
}
# A workspace in which a loop has run.
make_loop() {
  fake_claude <<'AGENT'
answer 'looked around'
AGENT
  run_ralph loop -p 'Make it work' --max-iterations 1 --max-idle 9 "$@"
  [ -s .ralph/state/progress.ndjson ] || broken "no loop ran"
}
# A workspace in which ralph was killed in the middle of an iteration; its journal is $JOURNAL.
make_killed_loop() {
  fake_claude <<'AGENT'
say working
kill -9 "$(sed 's/.*"pid":\([0-9]*\).*/\1/' .ralph/lock)"
sleep 1
AGENT
  sed -i 's/^init$/say() { echo "{\\"type\\":\\"assistant\\",\\"session_id\\":\\"$id\\",\\"message\\":{\\"id\\":\\"m1\\",\\"role\\":\\"assistant\\",\\"model\\":\\"m\\",\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$1\\"}],\\"usage\\":{\\"input_tokens\\":1,\\"output_tokens\\":1}}}"; }\ninit/' "$WORK/bin/claude"
  run_ralph loop -p 'Make it work' --max-iterations 3
  JOURNAL=$(echo .ralph/runs/*/journal.ndjson)
  [ -e "$JOURNAL" ] || broken "no run was killed"
  fake_claude <<'AGENT'
answer 'did it'
AGENT
}
# on_terminal 'command line': what it sends to a terminal of its own is in $OUT.
on_terminal() {
  CODE=0
  NO_COLOR=1 IS_SANDBOX=1 ANTHROPIC_API_KEY=test-key-for-attacks timeout -s KILL 30 \
    script -qec "$1" /dev/null >"$OUT" 2>&1 </dev/null || CODE=$?
}
# Control characters but for newline and tab, and a carriage return that is not before a newline.
must_not_drive_the_terminal() {
  ! LC_ALL=C grep -qP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r.|\xc2[\x80-\x9f]|(^|[\x00-\x7f])[\x80-\x9f]' "$OUT" ||
    breach "control characters reach the terminal"
}
# Sets the title, answers with the clipboard, moves the cursor, as C0 and as C1.
EVIL=$'\e]0;owned\a\e]52;c;b3duZWQ=\a\e[2J\u009b31m\u009d0;owned\u009c\rnothing to see'
