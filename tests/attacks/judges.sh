# For attacks on a judge that answers with text. `judge_says`: the shell code of the judge; $verdict is its answer. The
# naive grader believes the last JSON object of the text.
loop_check=- protect=()
judge_program() {
  cat >"$WORK/judge" <<JUDGE
verdict='{"status":"failed","metrics":{"adds":0},"message":"wrong"}'
[ "\$(sh src/add.sh 2 3 2>/dev/null)" != 5 ] || verdict='{"status":"passed","metrics":{"adds":1},"message":"right"}'
$judge_says
JUDGE
  grader=$(jq -nc --arg judge "$WORK/judge" '{name: "agentic-judge", config:
    {type: "custom", command: ["sh", $judge], assertions: {adds: "src/add.sh adds."}}}')
}
naive_check() {
  sh "$WORK/judge" | tee -a "$OUT" | grep -F '{' | tail -n 1 | sed 's/^[^{]*//' | jq -e 'last(.. | .status? // empty) == "passed"' >>"$OUT"
}
