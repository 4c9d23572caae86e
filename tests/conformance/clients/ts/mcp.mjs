// MCP servers: in the client, as a program, over HTTP.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { Session, ask, becomes, call, deepEqual, equal, lastRequest, match, ok, program, requests, text } from '../program.mjs';

// The environment as it is when a program runs: the mock is in it.
const allowed = { allowedTools: ['mcp__shop'], get env() { return { ...process.env, ENABLE_TOOL_SEARCH: 'false' }; } };
const price = [call('mcp__shop__price', { name: 'tea' }), text('Finished.')];

// A server in the client whose tool `price` does this.
const inClient = (run, more) => createSdkMcpServer({ name: 'shop', version: '1.0.0', tools: [tool('price', 'The price of a thing', { name: z.string() }, run, more)] });
const answer = (words, more) => ({ content: [{ type: 'text', text: words }], ...more });

program('in the client', price, async () => {
  const names = [];
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: inClient(async ({ name }) => (names.push(name), answer('3 euros'))) } });
  deepEqual(names, ['tea']);
  match(seen.outputs[0], /3 euros/);
  deepEqual(seen.init.mcp_servers.map(({ name, status }) => ({ name, status })), [{ name: 'shop', status: 'connected' }]);
  ok(seen.init.tools.includes('mcp__shop__price'));
  const offered = requests()[0].tools.find((each) => each.name === 'mcp__shop__price');
  equal(offered.description, 'The price of a thing');
  equal(offered.input_schema.properties.name.type, 'string');
});

program('an error of a tool', price, async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: inClient(async () => answer('Sold out.', { isError: true })) } });
  equal(seen.toolResults[0].is_error, true);
  match(seen.outputs[0], /Sold out\./);
});

program('a tool that throws', price, async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: inClient(async () => { throw new Error('shop is on fire'); }) } });
  equal(seen.toolResults[0].is_error, true);
  match(seen.outputs[0], /shop is on fire/);
  equal(seen.result.result, 'Finished.');
});

program('an invalid input', [call('mcp__shop__price', { name: 7 }), text('Finished.')], async () => {
  let called = 0;
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: inClient(async () => (++called, answer('?'))) } });
  equal(called, 0);
  equal(seen.toolResults[0].is_error, true);
});

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

program('an image', price, async () => {
  await ask('Go', { ...allowed, mcpServers: { shop: inClient(async () => ({ content: [{ type: 'image', data: pixel, mimeType: 'image/png' }] })) } });
  const image = requests()[1].messages.at(-1).content.flatMap((block) => block.content ?? []).find((block) => block.type === 'image');
  equal(image.source.type, 'base64');
  match(image.source.media_type, /^image\//);
});

program('nobody allowed it', price, async () => {
  let called = 0;
  const seen = await ask('Go', { mcpServers: { shop: inClient(async () => (++called, answer('?'))) }, env: allowed.env });
  equal(called, 0);
  equal(seen.result.permission_denials[0].tool_name, 'mcp__shop__price');
});

program('the client is asked', price, async () => {
  const asked = [];
  await ask('Go', {
    env: allowed.env,
    mcpServers: { shop: inClient(async () => answer('3 euros')) },
    canUseTool: async (name, input) => (asked.push(name), { behavior: 'allow', updatedInput: input }),
  });
  deepEqual(asked, ['mcp__shop__price']);
  match(lastRequest(), /3 euros/);
});

program('a hook sees the call', price, async () => {
  const names = [];
  await ask('Go', {
    ...allowed,
    mcpServers: { shop: inClient(async () => answer('3 euros')) },
    hooks: { PreToolUse: [{ matcher: 'mcp__shop__.*', hooks: [async (input) => (names.push(input.tool_name), {})] }] },
  });
  deepEqual(names, ['mcp__shop__price']);
});

const program_server = `${process.env.PROGRAMS}/server.mjs`;
const asProgram = (mode) => ({ type: 'stdio', command: process.env.NODE, args: [program_server, mode] });

program('a program', price, async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: asProgram('works') } });
  match(seen.outputs[0], /4 euros for tea/);
});

program('a program that does not start', [text('Finished.')], async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: { type: 'stdio', command: '/does/not/exist' } } });
  equal(seen.init.mcp_servers[0].status, 'failed');
  equal(seen.result.result, 'Finished.');
});

program('a program that crashes', price, async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: asProgram('crashes') } });
  equal(seen.toolResults[0].is_error, true);
  equal(seen.result.result, 'Finished.');
});

program('a program that never answers', price, async () => {
  const seen = await ask('Go', { ...allowed, env: { ...allowed.env, MCP_TOOL_TIMEOUT: '1000' }, mcpServers: { shop: asProgram('hangs') } });
  equal(seen.toolResults[0].is_error, true);
  equal(seen.result.result, 'Finished.');
});

program('structured content', price, async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: asProgram('structured') } });
  match(seen.outputs[0], /"euros":\s*5/);
});

// A server over HTTP; `headers` are those of its last request.
async function overHttp(run) {
  const got = {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => {
      got.headers = request.headers;
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) return response.writeHead(202).end();
      const results = {
        initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } }),
        'tools/list': () => ({ tools: [{ name: 'price', description: 'The price', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }] }),
        'tools/call': () => answer(`6 euros for ${params.arguments.name}`),
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(results[method] ? { result: results[method]() } : { error: { code: -32601, message: 'unknown' } }) }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await run(`http://127.0.0.1:${server.address().port}/mcp`, got);
  server.close();
  server.closeAllConnections();
}

program('over HTTP', price, () => overHttp(async (url, got) => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: { type: 'http', url, headers: { 'x-shop-key': 'sesame' } } } });
  match(seen.outputs[0], /6 euros for tea/);
  equal(got.headers['x-shop-key'], 'sesame');
}));

program('the status of servers', [text('Finished.')], async () => {
  const session = new Session({ ...allowed, mcpServers: { shop: asProgram('works'), ghost: { type: 'stdio', command: '/does/not/exist' } } });
  await session.turn('Go');
  let servers;
  await becomes(async () => (servers = await session.query.mcpServerStatus()).every((server) => server.status !== 'pending'), 'no server is pending');
  const byName = Object.fromEntries(servers.map((server) => [server.name, server]));
  equal(byName.shop.status, 'connected');
  equal(byName.shop.tools[0].name, 'price');
  equal(byName.ghost.status, 'failed');
  await session.end();
});

program('servers added in a session', [text('First.'), ...price], async () => {
  const session = new Session(allowed);
  await session.turn('Go');
  const { added, removed } = await session.query.setMcpServers({ shop: asProgram('works') });
  deepEqual({ added, removed }, { added: ['shop'], removed: [] });
  await session.turn('Now buy');
  match(session.outputs[0], /4 euros for tea/);
  deepEqual((await session.query.setMcpServers({})).removed, ['shop']);
  await session.end();
});

program('a tool that decides about permissions', [call('Bash', { command: 'echo done > made' }), call('Bash', { command: 'echo more > made' }), text('Finished.')], async () => {
  const seen = await ask('Go', { env: allowed.env, permissionPromptToolName: 'mcp__shop__decide', mcpServers: { shop: asProgram('works') } });
  equal(seen.toolResults[0].is_error ?? false, false);
  equal(seen.toolResults[1].is_error, true);
  match(seen.outputs[1], /Only once\./);
});

const many = [call('ToolSearch', { query: 'select:mcp__shop__tool_42', max_results: 5 }), call('mcp__shop__tool_42', { name: 'tea' }), text('Finished.')];

program('a hundred tools cost little', many, async () => {
  const seen = await ask('Go', { allowedTools: ['mcp__shop'], mcpServers: { shop: asProgram('many') } });
  const [first, second] = requests();
  const defined = (request) => request.tools.filter((each) => each.name.startsWith('mcp__shop__') && !each.defer_loading).length;
  equal(defined(first), 0);
  ok(first.tools.some((each) => each.name === 'ToolSearch'));
  ok(JSON.stringify(second).includes('mcp__shop__tool_42'));
  match(seen.outputs.at(-1), /4 euros for tea/);
});

program('.mcp.json of a trusted repository', price, async () => {
  mkdirSync('.git');
  writeFileSync('.mcp.json', JSON.stringify({ mcpServers: { shop: asProgram('works') } }));
  writeFileSync(`${process.env.HOME}/.claude.json`, JSON.stringify({ projects: { [process.cwd()]: { hasTrustDialogAccepted: true } } }));
  const seen = await ask('Go', allowed);
  match(seen.outputs[0], /4 euros for tea/);
});

program('only the given servers', [text('Finished.')], async () => {
  writeFileSync('.mcp.json', JSON.stringify({ mcpServers: { other: asProgram('works') } }));
  const seen = await ask('Go', { ...allowed, strictMcpConfig: true, mcpServers: { shop: asProgram('works') } });
  deepEqual(seen.init.mcp_servers.map((server) => server.name), ['shop']);
});

program('a rule for one tool', [call('mcp__shop__price', { name: 'tea' }), call('mcp__shop__decide', {}), text('Finished.')], async () => {
  const seen = await ask('Go', { ...allowed, allowedTools: ['mcp__shop__price'], mcpServers: { shop: asProgram('works') } });
  deepEqual(seen.toolResults.map((result) => result.is_error ?? false), [false, true]);
  deepEqual(seen.result.permission_denials.map((denial) => denial.tool_name), ['mcp__shop__decide']);
});

program('a program that prints garbage', price, async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: asProgram('garbage') } });
  equal(seen.result.result, 'Finished.');
});

program('progress', price, async () => {
  const seen = await ask('Go', { ...allowed, env: { ...allowed.env, MCP_TOOL_TIMEOUT: '3000' }, mcpServers: { shop: asProgram('slow') } });
  match(seen.outputs[0], /4 euros for tea/);
});

program('tools that appear later', [call('mcp__shop__price', { name: 'tea' }), call('mcp__shop__late', { name: 'tea' }), text('Finished.')], async () => {
  const seen = await ask('Go', { ...allowed, mcpServers: { shop: asProgram('grows') } });
  match(seen.outputs[1], /4 euros for tea/);
});

program('interrupt a call', [...price.slice(0, 1), text('Second.')], async () => {
  const session = new Session({ ...allowed, mcpServers: { shop: asProgram('hangs') } });
  session.say('Go');
  await session.until((message) => message.type === 'assistant');
  const reading = session.until((message) => message.type === 'result');
  await session.query.interrupt();
  equal((await reading).subtype, 'error_during_execution');
  equal((await session.turn('Go on')).result, 'Second.');
  await session.end();
});
