"""Prompts, results, control requests, and sessions that are continued, listed and read."""

import asyncio
import os

from claude_agent_sdk import (
    AgentDefinition,
    AssistantMessage,
    StreamEvent,
    SystemMessage,
    TaskNotificationMessage,
    TaskStartedMessage,
    ThinkingBlock,
    get_session_messages,
    list_sessions,
)

from program import Session, ask, becomes, call, file, last_request, program, requests, text, when

ONE = [text("Finished.", usage={"input_tokens": 1000, "output_tokens": 100})]
SLEEP = call("Bash", command="touch started; sleep 71234", timeout=600000, description="waits")



@program("a prompt", ONE)
async def a_prompt():
    seen = await ask("Say it")
    result = seen.result
    assert result.result == "Finished." and result.subtype == "success" and result.num_turns == 1
    assert result.usage["input_tokens"] == 1000 and result.total_cost_usd > 0
    init = next(message for message in seen.of(SystemMessage) if message.subtype == "init")
    assert init.data["session_id"] == result.session_id


@program("a stream of prompts", [text("First."), text("Second.")])
async def a_stream():
    async def prompts():
        for words in ("One", "Two"):
            yield {"type": "user", "message": {"role": "user", "content": words}, "parent_tool_use_id": None, "session_id": "default"}

    await ask(prompts())
    sent = str(requests())
    assert "One" in sent and "Two" in sent


@program("system prompts", [text("First."), text("Second."), text("Third.")])
async def system_prompts():
    await ask("Go", system_prompt="You are a pirate.")
    await ask("Go", system_prompt={"type": "preset", "preset": "claude_code", "append": "Answer in French."})
    await ask("Go")
    systems = [str(request.get("system", "")) for request in requests()]
    assert "You are a pirate." in systems[0]
    assert "Answer in French." in systems[1] and len(systems[1]) > 1000
    assert "You are a pirate." not in systems[2]


@program("partial messages", [{"thinking": "Hm.", "text": "Finished."}])
async def partial():
    seen = await ask("Say it", include_partial_messages=True)
    events = [message.event["type"] for message in seen.of(StreamEvent)]
    assert events[0] == "message_start" and events[-1] == "message_stop"
    assert seen.blocks(ThinkingBlock)[0].thinking == "Hm."


@program("structured output", [call("StructuredOutput", count=3)])
async def structured():
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    seen = await ask("Count", output_format={"type": "json_schema", "schema": schema})
    assert seen.result.structured_output == {"count": 3}


@program("a limit of turns", [call("Bash", command="true"), call("Bash", command="true"), text("Never said.")])
async def max_turns():
    seen = await ask("Go", max_turns=2)
    assert seen.result.subtype == "error_max_turns" and seen.result.is_error
    assert len(requests()) == 2


@program("an error of the API", [{"error": {"status": 400, "message": "that was wrong"}, "times": 9}])
async def api_error():
    seen = await ask("Go")
    assert seen.result.is_error and "that was wrong" in seen.result.result
    assert seen.of(AssistantMessage)[-1].error


@program("resume, continue and fork", [text("First."), text("Second."), text("Third."), text("Fourth.")])
async def resume():
    first = (await ask("Remember 7")).result.session_id
    assert (await ask("Two", resume=first)).result.session_id == first
    assert (await ask("Three", continue_conversation=True)).result.session_id == first
    assert (await ask("Four", resume=first, fork_session=True)).result.session_id != first
    assert all("Remember 7" in str(request["messages"]) for request in requests())


@program("sessions listed and read", [call("Bash", command="echo hello"), text("Finished.")])
async def listed():
    result = (await ask("Greet everybody")).result
    session = list_sessions(directory=os.getcwd())[0]
    assert session.session_id == result.session_id and "Greet everybody" in session.summary
    messages = get_session_messages(result.session_id, directory=os.getcwd())
    assert [message.type for message in messages] == ["user", "assistant", "user", "assistant"]


@program("what the server says", ONE)
async def server_info():
    async with Session() as session:
        about = await session.get_server_info()
        assert about["commands"] and about["output_style"] in about["available_output_styles"]
        await session.turn("Go")


@program("interrupt a command", [SLEEP, text("Second.")])
async def interrupt():
    async with Session(permission_mode="bypassPermissions") as session:
        await session.query("Go")
        reading = asyncio.create_task(session.rest())
        await becomes(lambda: os.path.exists("started"), "the command has started")
        await session.interrupt()
        assert (await reading).subtype == "error_during_execution"
        assert (await session.turn("Go on")).result == "Second."


@program("a model and a mode for the next turn", [text("First."), call("Write", file_path="made", content="1"), text("Second.")])
async def switches():
    async with Session(model="opus") as session:
        await session.turn("Go")
        await session.set_model("haiku")
        await session.set_permission_mode("acceptEdits")
        await session.turn("Go on")
    assert "opus" in requests()[0]["model"] and "haiku" in requests()[1]["model"]
    assert file("made") == "1"


@program("the context", ONE)
async def context():
    async with Session() as session:
        await session.turn("Go")
        usage = await session.get_context_usage()
    assert usage["totalTokens"] > 0 and usage["categories"]


@program("compact and clear", [text("First."), when("summary", text("A summary of all.")), text("Second."), text("Third.")])
async def compact():
    async with Session() as session:
        await session.turn("Remember 7")
        await session.turn("/compact")
        assert any(m.subtype == "compact_boundary" for m in session.seen.of(SystemMessage))
        await session.turn("Go on")
        assert "A summary of all." in last_request()
        await session.turn("/clear")
        await session.turn("Anew")
        assert "Remember 7" not in last_request()


@program("a client that disconnects", [SLEEP])
async def disconnects():
    session = Session(permission_mode="bypassPermissions")
    await session.connect()
    await session.query("Go")
    await session.until(lambda message: isinstance(message, AssistantMessage))
    await becomes(lambda: os.path.exists("started"), "the command has started")
    await session.disconnect()


COUNT = call("Agent", description="Counts", prompt="Count the pears", subagent_type="counter", run_in_background=False)


@program("a subagent", [COUNT, when("Count the pears", text("Seven pears.")), text("Finished.")])
async def subagent():
    counter = AgentDefinition(description="Counts things", prompt="You count very slowly.", tools=["Read"], model="haiku")
    seen = await ask("Go", agents={"counter": counter}, permission_mode="bypassPermissions")
    assert "Seven pears." in seen.outputs[-1] and seen.result.result == "Finished."
    started, ended = seen.of(TaskStartedMessage)[0], seen.of(TaskNotificationMessage)[0]
    assert started.task_id == ended.task_id and ended.status == "completed"
    request = next(request for request in requests() if "Count the pears" in str(request["messages"][0]))
    assert "You count very slowly." in str(request["system"]) and [tool["name"] for tool in request["tools"]] == ["Read"]


@program("a background command that is stopped", [
    call("Bash", command="sleep 71234", run_in_background=True, description="waits"), text("Started."), text("It was stopped."),
])
async def stop_task():
    async with Session(permission_mode="bypassPermissions") as session:
        await session.query("Go")
        task = await session.until(lambda message: isinstance(message, TaskStartedMessage))
        await session.rest()
        await session.stop_task(task.task_id)
        ended = await session.until(lambda message: isinstance(message, TaskNotificationMessage))
        assert ended.task_id == task.task_id and ended.status == "stopped"


@program("settings, directories and tools", [call("Read", file_path="../beside/notes.txt"), text("Finished.")])
async def tools():
    os.makedirs("../beside")
    with open("../beside/notes.txt", "w", encoding="utf-8") as notes:
        notes.write("from outside\n")
    seen = await ask("Go", tools=["Read"], add_dirs=[os.path.abspath("../beside")], setting_sources=[])
    assert "from outside" in seen.outputs[0]
    assert not any(tool["name"] == "Bash" for tool in requests()[0]["tools"])
