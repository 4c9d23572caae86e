"""What users and repositories configure, questions to the user, and subagents."""

import asyncio
import json
import os

from claude_agent_sdk import (
    AgentDefinition,
    HookMatcher,
    PermissionResultAllow,
    SystemMessage,
    TaskNotificationMessage,
    get_session_info,
    get_subagent_messages,
    list_subagents,
    rename_session,
)

from program import Session, ask, call, file, last_request, program, requests, text, when

WRITES = [call("Bash", command="echo done > made"), text("Finished.")]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def write(name, content):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w", encoding="utf-8") as opened:
        opened.write(content)


def repository(trusted):
    """One whose settings allow Bash."""
    os.mkdir(".git")
    write(".claude/settings.json", json.dumps({"permissions": {"allow": ["Bash"]}}))
    project = {os.getcwd(): {"hasTrustDialogAccepted": trusted}}
    write(os.path.expanduser("~/.claude.json"), json.dumps({"projects": project}))


@program("a trusted repository", WRITES)
async def trusted():
    repository(True)
    await ask("Go")
    assert file("made") == "done\n"


@program("a repository that is not trusted", WRITES)
async def not_trusted():
    repository(False)
    seen = await ask("Go")
    assert file("made") == "" and len(seen.result.permission_denials) == 1


@program("a slash command and a skill", [text("Finished."), call("Skill", skill="greet", args="everybody"), text("Finished.")])
async def commands():
    write(".claude/commands/fix.md", "Fix issue number $ARGUMENTS now.\n")
    write(".claude/skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets people\n---\nSay hello to $ARGUMENTS.\n")
    async with Session(allowed_tools=["Skill"]) as session:
        names = [command["name"] for command in (await session.get_server_info())["commands"]]
        assert "fix" in names and "greet" in names
        await session.turn("/fix 12")
        assert "Fix issue number 12 now." in last_request()
        await session.turn("Greet")
        assert "Say hello to everybody." in last_request()


@program("no settings files", [text("Finished.")])
async def no_sources():
    write("CLAUDE.md", "Always answer in French.\n")
    await ask("Go", setting_sources=[])
    assert "Always answer in French." not in last_request()


@program("an image in a message", [text("Finished.")])
async def image():
    async def prompt():
        source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
        content = [{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}]
        yield {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None, "session_id": ""}

    await ask(prompt())
    assert any(b["type"] == "image" for m in requests()[0]["messages"] for b in m["content"] if isinstance(b, dict))


QUESTIONS = [{"question": "Which colour?", "header": "Colour", "multiSelect": False, "options": [
    {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]


@program("a question of the model, then a plan", [
    call("AskUserQuestion", questions=QUESTIONS), call("ExitPlanMode", plan="Paint it."), call("Write", file_path="made", content="blue"), text("Finished."),
])
async def questions():
    names = []

    async def can_use_tool(name, arguments, context):
        names.append(name)
        if name == "AskUserQuestion":
            return PermissionResultAllow(updated_input={**arguments, "answers": {"Which colour?": "Blue"}})
        return PermissionResultAllow()

    async with Session(can_use_tool=can_use_tool, permission_mode="plan") as session:
        await session.turn("Go")
    assert names[:2] == ["AskUserQuestion", "ExitPlanMode"]
    assert "Blue" in session.seen.outputs[0]
    assert file("made") == "blue"


@program("a question that is never answered", [call("Write", file_path="made", content="1"), text("Second.")])
async def interrupted_question():
    asked = asyncio.Event()

    async def can_use_tool(name, arguments, context):
        asked.set()
        await asyncio.Event().wait()

    async with Session(can_use_tool=can_use_tool) as session:
        await session.query("Go")
        reading = asyncio.create_task(session.rest())
        await asked.wait()
        await session.interrupt()
        assert (await reading).subtype == "error_during_execution"
    assert file("made") == ""


PEARS = call("Agent", description="Counts", prompt="Count the pears", subagent_type="general-purpose", run_in_background=False)


@program("hooks and messages of a subagent", [PEARS, when("Count the pears", text("Seven pears.")), text("Finished.")])
async def subagent_hooks():
    events = []

    async def hook(given, tool_use_id, context):
        events.append((given["hook_event_name"], given["agent_id"]))
        return {}

    matchers = [HookMatcher(hooks=[hook])]
    async with Session(hooks={"SubagentStart": matchers, "SubagentStop": matchers}, permission_mode="bypassPermissions") as session:
        result = await session.turn("Go")
    assert [name for name, _ in events] == ["SubagentStart", "SubagentStop"]
    assert events[0][1] == events[1][1]
    agent = list_subagents(result.session_id, directory=os.getcwd())[0]
    messages = get_subagent_messages(result.session_id, agent, directory=os.getcwd())
    assert "Seven pears." in str(messages[-1].message)


@program("a subagent in the background", [
    call("Agent", description="Counts", prompt="Count the pears", subagent_type="general-purpose", run_in_background=True),
    when("Count the pears", text("Seven pears.", delay_ms=300)), text("It has begun."), text("There are seven."),
])
async def background():
    seen = await ask("Go", permission_mode="bypassPermissions")
    assert seen.result.result == "There are seven."
    assert seen.of(TaskNotificationMessage)[0].status == "completed"


@program("the session as an agent", [text("Finished.")])
async def as_agent():
    counter = AgentDefinition(description="Counts things", prompt="You count very slowly.", tools=["Read"])
    await ask("Go", agents={"counter": counter}, extra_args={"agent": "counter"})
    assert "You count very slowly." in str(requests()[0]["system"])


@program("a title", [text("Finished.")])
async def title():
    result = (await ask("Go")).result
    rename_session(result.session_id, "Farewells", directory=os.getcwd())
    assert get_session_info(result.session_id, directory=os.getcwd()).custom_title == "Farewells"


@program("a budget", [{**call("Bash", command="true"), "usage": {"input_tokens": 900000, "output_tokens": 10}}, text("Never said.")])
async def budget():
    seen = await ask("Go", max_budget_usd=0.01)
    assert seen.result.subtype == "error_max_budget_usd" and len(requests()) == 1


@program("the mode of the session", [text("Finished.")])
async def mode():
    seen = await ask("Go", permission_mode="plan")
    init = next(message for message in seen.of(SystemMessage) if message.subtype == "init")
    assert init.data["permissionMode"] == "plan"
