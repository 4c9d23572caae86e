"""What the programs in py/ share, see program.mjs. A program is a function with the decorator `program`.
   python run.py FILE [NAME]     lists the programs of a file, or runs one
"""

import asyncio
import json
import os
import sys

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    query,
)

programs = {}


def program(name, steps):
    """steps: the replies of the model, see docs/mock.md."""

    def add(run):
        programs[name] = (steps, run)
        return run

    return add


def text(words, **more):
    return {"text": words, **more}


def call(name, /, **arguments):
    return {"tool_use": {"name": name, "input": arguments}}


def when(last, step):
    """A reply to the requests whose last message contains a text: for what is not part of the main conversation."""
    return {**step, "match": {"last": last}}


def file(name):
    """A file of the directory the program runs in, "" if there is none."""
    if not os.path.exists(name):
        return ""
    with open(name, encoding="utf-8") as opened:
        return opened.read()


def requests():
    lines = [json.loads(line) for line in file("../requests.ndjson").splitlines()]
    return [line["body"] for line in lines if line["target"].split("?")[0].endswith("/v1/messages")]


def last_request():
    return json.dumps(requests()[-1], ensure_ascii=False)


def options(**more):
    return ClaudeAgentOptions(cli_path=os.environ["CLAUDE"], stderr=lambda line: print(line, file=sys.stderr), **more)


class Messages(list):
    """The messages of a session, and what programs look for in them."""

    error = None

    def of(self, kind):
        return [message for message in self if isinstance(message, kind)]

    @property
    def result(self):
        return self.of(ResultMessage)[-1]

    def blocks(self, kind):
        carriers = [m for m in self if isinstance(m, (AssistantMessage, UserMessage)) and isinstance(m.content, list)]
        return [block for m in carriers for block in m.content if isinstance(block, kind)]

    @property
    def texts(self):
        return [block.text for block in self.blocks(TextBlock)]

    @property
    def calls(self):
        return self.blocks(ToolUseBlock)

    @property
    def outputs(self):
        """The texts of the tool results, each as one string."""
        results = self.blocks(ToolResultBlock)
        return [b.content if isinstance(b.content, str) else json.dumps(b.content) for b in results]

    @property
    def failures(self):
        return [b for b in self.blocks(ToolResultBlock) if b.is_error]


async def ask(prompt, **more):
    """One prompt, until the process ends. What it raises after the messages is `error`."""
    seen = Messages()
    try:
        async for message in query(prompt=prompt, options=options(**more)):
            seen.append(message)
    except Exception as error:  # noqa: BLE001
        if not seen.of(ResultMessage):
            raise
        seen.error = error
    return seen


class Session(ClaudeSDKClient):
    """A session that stays open; `seen` has all its messages."""

    def __init__(self, **more):
        super().__init__(options(**more))
        self.seen = Messages()

    async def turn(self, content):
        await self.query(content)
        return await self.rest()

    async def rest(self):
        """Reads up to the next result."""
        async for message in self.receive_response():
            self.seen.append(message)
        return self.seen.result

    async def until(self, fits):
        async for message in self.receive_messages():
            self.seen.append(message)
            if fits(message):
                return message
        raise AssertionError("the session ended early")


async def becomes(fact, what):
    """Waits until something is true that no message announces."""
    for _ in range(400):
        if fact():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never so: {what() if callable(what) else what}")
