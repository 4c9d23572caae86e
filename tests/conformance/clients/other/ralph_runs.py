"""The agent loop in scripts: opens the command with pipes, writes one line, reads to `result`, corrects up to three times,
closes stdin and looks at the exit code. It knows no SDK.
"""

import json
import os
import subprocess

from program import call, file, program, requests, text

SCHEMA = '{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}'
TOOLS = "Read,Write,Edit,Glob,Grep,Bash,Skill,StructuredOutput"
CORRECTION = 'You must use the StructuredOutput tool. Return: {"summary": "what you accomplished"}'
SETTINGS = {"dangerouslySkipPermissions": True, "permissions": {"allow": ["Bash", "Read", "Write", "Edit", "Glob", "Grep"]}}


def repository():
    """One with the settings that the loop expects, which its user trusts."""
    os.makedirs(".claude")
    subprocess.run(["git", "init", "-q"], check=True)
    with open(".claude/settings.json", "w", encoding="utf-8") as settings:
        json.dump(SETTINGS, settings)
    with open(os.path.expanduser("~/.claude.json"), "w", encoding="utf-8") as trusted:
        json.dump({"projects": {os.getcwd(): {"hasTrustDialogAccepted": True}}}, trusted)


def message(words):
    return json.dumps({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": words}]}}) + "\n"


def read_until_result(agent):
    calls, names, context = {}, [], 0
    for line in agent.stdout:
        event = json.loads(line)
        if event["type"] == "assistant":
            for block in event["message"]["content"]:
                if block["type"] == "tool_use":
                    calls[block["id"]] = block["name"]
            usage = event["message"]["usage"]
            context = usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"]
        if event["type"] == "user":
            blocks = event["message"]["content"]
            names += [calls[b["tool_use_id"]] for b in blocks if isinstance(b, dict) and b["type"] == "tool_result"]
        if event["type"] == "result":
            event["calls"], event["context"] = names, context
            return event
    raise AssertionError("the agent ended without a result")


def work(prompt, model="sonnet", thinking=16384):
    repository()
    claude = os.environ["CLAUDE"]
    # The key stays: there is no login here.
    command = (
        f"MAX_THINKING_TOKENS={thinking} {claude} -p --model {model} --tools \"{TOOLS}\" --verbose "
        f"--input-format stream-json --output-format stream-json --json-schema '{SCHEMA}'"
    )
    agent = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    agent.stdin.write(message(prompt))
    agent.stdin.flush()
    results = [read_until_result(agent)]
    while len(results) <= 3 and not isinstance((results[-1].get("structured_output") or {}).get("summary"), str):
        agent.stdin.write(message(CORRECTION))
        agent.stdin.flush()
        results.append(read_until_result(agent))
    agent.stdin.close()
    agent.stdout.read()
    return results, agent.wait()


OUTPUT = call("StructuredOutput", summary="DONE")


@program("a worker", [call("Write", file_path="made", content="1\n"), call("Bash", command="echo 2 >> made"), {**OUTPUT, "usage": {"input_tokens": 500, "output_tokens": 20}}])
async def a_worker():
    results, code = work("Make the file.")
    assert code == 0 and len(results) == 1
    result = results[0]
    assert result["structured_output"]["summary"] == "DONE"
    assert result["calls"] == ["Write", "Bash", "StructuredOutput"], result["calls"]
    assert file("made") == "1\n2\n"
    assert result["context"] > 0
    tokens = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    assert all(isinstance(result["usage"][name], int) for name in tokens)


@program("corrections", [text("All done."), text("Really."), text("Yes."), text("I said so."), OUTPUT])
async def corrections():
    results, code = work("Make the file.")
    assert code == 0
    assert 1 < len(results) <= 4
    assert results[0].get("structured_output") is None
    assert results[-1]["structured_output"] == {"summary": "DONE"}
    assert "You must use the StructuredOutput tool." in json.dumps(requests()[-1]["messages"])


@program("a summarizer that thinks", [{"thinking": "Hm.", **OUTPUT}])
async def a_summarizer():
    results, code = work("Summarize.", model="claude-haiku-4-5", thinking=8192)
    assert code == 0 and results[0]["structured_output"]["summary"] == "DONE"
    assert requests()[0]["model"].startswith("claude-haiku")
    assert requests()[0]["thinking"]["budget_tokens"] == 8192


@program("never a summary", [text(f"Answer {n}.") for n in range(12)])
async def never_a_summary():
    results, code = work("Make the file.")
    assert len(results) == 4 and code == 0
    assert all(result.get("structured_output") is None for result in results)
