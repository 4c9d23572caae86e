# For attacks on what decides whether an agent solved its task: `ralph bench` and `ralph loop --verify-clean`, and in the
# unprotected variant a naive grader, which runs the same check in the agent's directory with the agent's HOME and PATH.
# A script may set these before it calls `cheat`, whose stdin is what the agent does instead of solving the task:
check='sh tests/check.sh'  # the command that decides
protect=('tests/**')       # patterns of files that the agent must not change
settings='{}'              # further settings of the grader `command`, as JSON
grader=''                  # another grader than `command`, as JSON
expected=''                # a branch with the expected result
loop_check=''              # for `ralph loop`, which reads no reports; '-': bench only
never_skipped=''            # set: the attack wins too if the grader of `ralph bench` is skipped
needs_bubblewrap=''         # set: without bubblewrap nothing is promised
naive_first=:              # what the naive grader does before the check, such as restoring the tests
naive_check() { sh_like_the_agent "$check"; }
more_files() { :; }        # further files of the repository
honest='echo "echo \$((\$1 + \$2))" >src/add.sh'  # solves the task

# The task: src/add.sh should add, but subtracts.
make_task() {
  mkdir -p src tests
  echo 'echo $(($1 - $2))' >src/add.sh
  echo '[ "$(sh src/add.sh 2 3)" = 5 ] && [ "$(sh src/add.sh 20 7)" = 27 ]' >tests/check.sh
  printf 'test:\n\t@sh tests/check.sh\n' >Makefile
  more_files
  git init -q -b main . && git config user.name T && git config user.email t@example.org
  git add -A && git commit -q -m start
}
# Everything of its own: a place for one run named $1.
enter() {
  PLACE=$WORK/$1
  mkdir -p "$PLACE/home/.local/bin" "$PLACE/ws" "$PLACE/tmp"
  export HOME=$PLACE/home TMPDIR=$PLACE/tmp BASH_ENV=$PLACE/home/.bash_env PATH="$PLACE/home/.local/bin:$START_PATH"
  echo 'PATH="$HOME/.local/bin:$PATH"' >"$HOME/.profile"  # as Debian and Ubuntu do
  cd "$PLACE/ws" || broken "no $PLACE"
}
START_PATH=$PATH
# From here on ralph finds a bubblewrap that does not work.
without_bubblewrap() {
  mkdir -p "$WORK/no-bubblewrap"
  printf '#!/bin/sh\necho not here >&2\nexit 1\n' >"$WORK/no-bubblewrap/bwrap"
  chmod +x "$WORK/no-bubblewrap/bwrap"
  START_PATH=$WORK/no-bubblewrap:$START_PATH
}
has_bubblewrap() { bwrap --ro-bind / / --unshare-pid --unshare-net true 2>/dev/null; }

# agent_does TEXT: the agent CLI runs TEXT as a bash script in its working directory, then says DONE.
agent_does() {
  fake_claude <<AGENT
PLACE='$PLACE'
{ $1
} >/dev/null 2>&1 </dev/null
touch '$PLACE/agent-ran'
answer DONE
AGENT
}
sh_like_the_agent() { timeout 20 bash -lc "$1" </dev/null >>"$OUT" 2>&1; }

# 0: the work of the agent passes.
by_naive() {
  agent_does "$1"
  mkdir repository && cd repository && make_task
  claude >/dev/null
  eval "$naive_first" >>"$OUT" 2>&1
  naive_check
}
by_bench() {
  agent_does "$1"
  mkdir task && (cd task && make_task)
  jq -n --arg check "$check" --argjson more "$settings" --arg grader "$grader" --arg expected "$expected" \
    '{name: "t", description: "t", repo: "task", agent: {type: "claude-code", config: {prompt: "go"}},
      evaluators: [if $grader != "" then ($grader | fromjson)
                   else {name: "command", config: ({command: $check, protect: $ARGS.positional} + $more)} end]}
     + (if $expected != "" then {expected: $expected, expected_source: "branch"} else {} end)' \
    --args "${protect[@]}" >testcase.yaml
  run_ralph bench run -c testcase.yaml --allow-local
  PATH=$START_PATH
  local results
  results=$(echo .youbencha-workspace/*/artifacts/results.json)
  [ "$CODE" -eq 0 ] || [ "$CODE" -eq 6 ] || [ "$CODE" -eq 8 ] || broken "bench ended with $CODE"
  [ -z "$never_skipped" ] || ! jq -e 'any(.evaluators[]; .status == "skipped")' "$results" >/dev/null || breach "results.json says skipped"
  [ "$CODE" -eq 0 ] || ! grep -q '"overall_status": "passed"' "$results" || breach "results.json says passed"
  return "$CODE"
}
by_loop() {
  agent_does "$1"
  make_task
  local words=() pattern
  for pattern in "${protect[@]}"; do words+=(--protect "$pattern"); done
  run_ralph loop -p go -b claude -n 1 --verify-clean --verify "${loop_check:-$check}" "${words[@]}"
  return "$CODE"
}
# judge WHO NAME WHAT: runs one of them in its own place; $VERDICT is passed or failed.
judge() {
  enter "$2"
  : >"$OUT"
  VERDICT=failed
  if "by_$1" "$3"; then VERDICT=passed; fi
  PATH=$START_PATH
  [ -e "$PLACE/agent-ran" ] || broken "$2: the agent did not run"
  [ ! -s "$PLACE/daemon" ] || kill "$(cat "$PLACE/daemon")" 2>/dev/null
}

cheat() {
  local attack
  attack=$(cat)
  if ! protected; then
    judge naive idle :
    [ $VERDICT = failed ] || broken "the naive grader accepts no work at all"
    judge naive honest "$honest"
    [ $VERDICT = passed ] || broken "the naive grader refuses an honest solution"
    judge naive attack "$attack"
    [ $VERDICT = failed ] || breach "the naive grader accepts the attack"
    return
  fi
  if has_bubblewrap; then
    attack_both with "$attack"
  elif [ -n "$needs_bubblewrap" ]; then
    skip "no bubblewrap"
  fi
  without_bubblewrap
  [ -n "$needs_bubblewrap" ] || attack_both without "$attack"
}
# attack_both with|without ATTACK
attack_both() {
  local who
  for who in bench loop; do
    [ $who != loop ] || [ "$loop_check" != - ] || continue
    judge $who "$who-$1-honest" "$honest"
    [ $VERDICT = passed ] || broken "$who ($1 bubblewrap) refuses an honest solution"
    judge $who "$who-$1-attack" "$2"
    [ $VERDICT = failed ] || breach "$who ($1 bubblewrap) accepts the attack"
  done
}
