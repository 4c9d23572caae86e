// An MCP server as a program, without a library: a tool `price`, and a tool `decide` that allows its first call.
//   node server.mjs works|crashes|hangs|structured|many
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const inputSchema = { type: 'object', properties: { name: { type: 'string', description: 'The name of a thing that somebody wants to buy in the shop' } } };
const names = mode === 'many' ? Array.from({ length: 100 }, (_, i) => `tool_${i}`) : ['price', 'decide'];
let decisions = 0;

function result(name, { input, name: thing }) {
  if (mode === 'crashes') process.exit(1);
  if (name === 'decide') {
    const decision = decisions++ ? { behavior: 'deny', message: 'Only once.' } : { behavior: 'allow', updatedInput: input };
    return { content: [{ type: 'text', text: JSON.stringify(decision) }] };
  }
  if (mode === 'structured') return { content: [], structuredContent: { euros: 5 } };
  return { content: [{ type: 'text', text: `4 euros for ${thing}` }] };
}

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1.0.0' } }),
  'tools/list': () => ({ tools: names.map((name) => ({ name, description: `Does what the tool ${name} of a shop does`, inputSchema })) }),
  'tools/call': ({ name, arguments: input }) => (mode === 'hangs' ? null : result(name, input)),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = methods[method] ? { result: methods[method](params ?? {}) } : { error: { code: -32601, message: `no method ${method}` } };
  if (answer.result !== null) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
