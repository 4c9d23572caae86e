"""can_use_tool: what a client answers decides what happens."""

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, PermissionUpdate

from program import Session, ask, call, file, program, requests, text

STEPS = [call("Bash", command="echo done > made", description="makes a file"), text("Finished.")]


async def asked(answer, **more):
    """The messages of a session whose client answers like this."""

    async def can_use_tool(name, arguments, context):
        return answer(name, arguments, context)

    async with Session(can_use_tool=can_use_tool, **more) as session:
        await session.turn("Go")
    return session.seen


@program("allow", STEPS)
async def allow():
    names = []
    seen = await asked(lambda name, arguments, context: names.append((name, arguments["command"])) or PermissionResultAllow())
    assert names == [("Bash", "echo done > made")]
    assert file("made") == "done\n"
    assert seen.result.result == "Finished." and not seen.result.permission_denials


@program("changed input", STEPS)
async def changed_input():
    await asked(lambda *_: PermissionResultAllow(updated_input={"command": "echo other > made"}))
    assert file("made") == "other\n"


@program("deny", STEPS)
async def deny():
    seen = await asked(lambda *_: PermissionResultDeny(message="Not on a Friday."))
    assert file("made") == ""
    assert "Not on a Friday." in seen.outputs[0] and seen.failures
    assert seen.result.permission_denials[0]["tool_name"] == "Bash"


@program("deny and interrupt", STEPS)
async def deny_and_interrupt():
    seen = await asked(lambda *_: PermissionResultDeny(message="Stop.", interrupt=True))
    assert seen.result.subtype == "error_during_execution"
    assert len(requests()) == 1


@program("rules for the session", [call("Write", file_path="one", content="1"), call("Write", file_path="two", content="2"), text("Finished.")])
async def rules_for_the_session():
    names = []
    update = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
    await asked(lambda name, *_: names.append(name) or PermissionResultAllow(updated_permissions=[update]))
    assert names == ["Write"]
    assert file("one") + file("two") == "12"


@program("nobody to ask", STEPS)
async def nobody_to_ask():
    seen = await ask("Go")
    assert file("made") == "" and len(seen.result.permission_denials) == 1


@program("allowed tools", STEPS)
async def allowed_tools():
    seen = await ask("Go", allowed_tools=["Bash"])
    assert file("made") == "done\n" and seen.result.result == "Finished."


@program("bypass", STEPS)
async def bypass():
    await ask("Go", permission_mode="bypassPermissions")
    assert file("made") == "done\n"
