// An MCP server as a program, without a library: a tool `price`, and a tool `decide` that allows its first call.
//   node server.mjs works|crashes|hangs|garbage|slow|grows|structured|many
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const inputSchema = { type: 'object', properties: { name: { type: 'string', description: 'The name of a thing that somebody wants to buy in the shop' } } };
const names = mode === 'many' ? Array.from({ length: 100 }, (_, i) => `tool_${i}`) : ['price', 'decide'];
let decisions = 0;

const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const pause = () => new Promise((resolve) => setTimeout(resolve, 500));

async function result(name, { input, name: thing }, progressToken) {
  if (mode === 'crashes') process.exit(1);
  if (mode === 'garbage') console.log('this is no JSON\n{"jsonrpc": 7}');
  for (let progress = 1; mode === 'slow' && progress < 4; ++progress) {
    send({ method: 'notifications/progress', params: { progressToken, progress, total: 4 } });
    await pause();
  }
  if (mode === 'grows' && !names.includes('late')) {
    names.push('late');
    send({ method: 'notifications/tools/list_changed' });
  }
  if (name === 'decide') {
    const decision = decisions++ ? { behavior: 'deny', message: 'Only once.' } : { behavior: 'allow', updatedInput: input };
    return { content: [{ type: 'text', text: JSON.stringify(decision) }] };
  }
  if (mode === 'structured') return { content: [], structuredContent: { euros: 5 } };
  return { content: [{ type: 'text', text: `4 euros for ${thing}` }] };
}

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'shop', version: '1.0.0' } }),
  'tools/list': () => ({ tools: names.map((name) => ({ name, description: `Does what the tool ${name} of a shop does`, inputSchema })) }),
  'tools/call': ({ name, arguments: input, _meta }) => (mode === 'hangs' ? null : result(name, input, _meta?.progressToken)),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (!methods[method]) return send({ id, error: { code: -32601, message: `no method ${method}` } });
  const answer = await methods[method](params ?? {});
  if (answer !== null) send({ id, result: answer });
});
