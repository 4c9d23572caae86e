// Prints the milliseconds from query() to the first result.
//   node first_result.mjs AGENT
import { query } from '@anthropic-ai/claude-agent-sdk';

const [, , pathToClaudeCodeExecutable] = process.argv;
const begin = performance.now();
for await (const message of query({ prompt: 'Hello', options: { pathToClaudeCodeExecutable } })) {
  if (message.type !== 'result') continue;
  console.log((performance.now() - begin).toFixed(1));
  process.exit(message.is_error ? 1 : 0);
}
process.exit(1);
