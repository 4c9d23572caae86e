"""MCP servers: in the client, and as programs."""

import os

from claude_agent_sdk import create_sdk_mcp_server, tool

from program import Session, ask, call, last_request, program, requests, text

PRICE = [call("mcp__shop__price", name="tea"), text("Finished.")]
EAGER = {"ENABLE_TOOL_SEARCH": "false"}
AS_PROGRAM = {"type": "stdio", "command": os.environ.get("NODE", "node"), "args": [os.environ.get("PROGRAMS", ".") + "/server.mjs", "works"]}


def shop(answer, names=None):
    @tool("price", "The price of a thing", {"name": str})
    async def price(arguments):
        if names is not None:
            names.append(arguments["name"])
        return answer() if callable(answer) else answer

    return {"shop": create_sdk_mcp_server(name="shop", version="1.0.0", tools=[price])}


def words(said, **more):
    return {"content": [{"type": "text", "text": said}], **more}


async def buy(answer, names=None, **more):
    return await ask("Go", **{"mcp_servers": shop(answer, names), "env": EAGER, "allowed_tools": ["mcp__shop__price"], **more})


@program("in the client", PRICE)
async def in_the_client():
    names = []
    seen = await buy(words("3 euros"), names)
    assert names == ["tea"]
    assert "3 euros" in seen.outputs[0] and not seen.failures
    assert any(offered["name"] == "mcp__shop__price" for offered in requests()[0]["tools"])


@program("an error of a tool", PRICE)
async def an_error():
    seen = await buy(words("Sold out.", is_error=True))
    assert seen.failures and "Sold out." in seen.outputs[0]


@program("a tool that raises", PRICE)
async def raises():
    def fire():
        raise RuntimeError("shop is on fire")

    seen = await buy(fire)
    assert seen.failures and "shop is on fire" in seen.outputs[0]
    assert seen.result.result == "Finished."


@program("nobody allowed it", PRICE)
async def not_allowed():
    names = []
    seen = await buy(words("?"), names, allowed_tools=[])
    assert not names
    assert seen.result.permission_denials[0]["tool_name"] == "mcp__shop__price"


@program("a program", PRICE)
async def a_program():
    await buy(None, mcp_servers={"shop": AS_PROGRAM})
    assert "4 euros for tea" in last_request()


@program("the status of servers", [text("Finished.")])
async def status():
    async with Session(mcp_servers={"shop": AS_PROGRAM, "ghost": {"type": "stdio", "command": "/does/not/exist"}}) as session:
        await session.turn("Go")
        servers = {}
        for _ in range(100):
            servers = {server["name"]: server for server in (await session.get_mcp_status())["mcpServers"]}
            if all(server["status"] != "pending" for server in servers.values()):
                break
        assert servers["shop"]["status"] == "connected" and servers["ghost"]["status"] == "failed"
        assert servers["shop"]["tools"][0]["name"] == "price"


@program("only the given servers", [text("Finished.")])
async def strict():
    with open(".mcp.json", "w", encoding="utf-8") as config:
        config.write('{"mcpServers": {"other": {"command": "/does/not/exist"}}}')
    async with Session(mcp_servers={"shop": AS_PROGRAM}, strict_mcp_config=True) as session:
        await session.turn("Go")
        assert [server["name"] for server in (await session.get_mcp_status())["mcpServers"]] == ["shop"]
