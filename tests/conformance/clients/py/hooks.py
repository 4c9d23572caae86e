"""Hooks: callbacks of the client, and commands in settings."""

import json

from claude_agent_sdk import HookEventMessage, HookMatcher

from program import Session, ask, call, file, last_request, program, requests, text

STEPS = [call("Bash", command="echo done > made", description="makes a file"), text("Finished.")]


async def hooked(event, answer, matcher=None, inputs=None, **more):
    """The messages of a session with a hook that answers like this."""

    async def hook(given, tool_use_id, context):
        if inputs is not None:
            inputs.append(given)
        return answer(given) if callable(answer) else answer

    async with Session(hooks={event: [HookMatcher(matcher=matcher, hooks=[hook])]}, **more) as session:
        await session.turn("Go")
    return session.seen


def decision(word, **more):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word, **more}}


@program("PreToolUse denies", STEPS)
async def denies():
    inputs = []
    answer = decision("deny", permissionDecisionReason="Not here.")
    seen = await hooked("PreToolUse", answer, "Bash", inputs, permission_mode="bypassPermissions")
    assert file("made") == ""
    assert "Not here." in seen.outputs[0]
    assert inputs[0]["tool_name"] == "Bash" and inputs[0]["tool_use_id"] == seen.calls[0].id


@program("PreToolUse allows and changes", STEPS)
async def allows():
    await hooked("PreToolUse", decision("allow", updatedInput={"command": "echo other > made"}))
    assert file("made") == "other\n"


@program("PostToolUse adds context", STEPS)
async def adds_context():
    answer = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "Well done."}}
    inputs = []
    await hooked("PostToolUse", answer, None, inputs, allowed_tools=["Bash"])
    assert "stdout" in inputs[0]["tool_response"]
    assert "Well done." in last_request()


@program("PostToolUseFailure", [call("Bash", command="exit 3"), text("Finished.")])
async def failure():
    inputs = []
    await hooked("PostToolUseFailure", {}, None, inputs, allowed_tools=["Bash"])
    assert len(inputs) == 1 and "3" in inputs[0]["error"]


@program("UserPromptSubmit blocks", [text("Never said.")])
async def prompt_blocked():
    await hooked("UserPromptSubmit", {"decision": "block", "reason": "Not this."})
    assert not requests()


@program("Stop asks for more", [text("First."), text("Second.")])
async def stop():
    seen = await hooked("Stop", lambda given: {} if given["stop_hook_active"] else {"decision": "block", "reason": "Also the tests."})
    assert "Also the tests." in last_request()
    assert seen.result.result == "Second."


@program("continue false", STEPS)
async def continue_false():
    seen = await hooked("PostToolUse", {"continue_": False, "stopReason": "Enough."}, allowed_tools=["Bash"])
    assert len(requests()) == 1 and not seen.result.is_error


@program("commands in settings", STEPS)
async def commands():
    command = {"type": "command", "command": "cat > input.json; echo Not allowed here. >&2; exit 2"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [command]}]}}
    seen = await ask("Go", allowed_tools=["Bash"], settings=json.dumps(settings))
    assert file("made") == ""
    assert "Not allowed here." in seen.outputs[0]
    assert json.loads(file("input.json"))["hook_event_name"] == "PreToolUse"


@program("hook events", STEPS)
async def hook_events():
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    seen = await ask("Go", include_hook_events=True, allowed_tools=["Bash"], settings=json.dumps(settings))
    assert any(message.hook_event_name == "PreToolUse" for message in seen.of(HookEventMessage))
