// The provider of the AI SDK.
import { generateObject, generateText, streamText } from 'ai';
import { createClaudeCode } from 'ai-sdk-provider-claude-code';
import { z } from 'zod';
import { call, deepEqual, equal, file, match, ok, program, requests, text } from '../program.mjs';

const model = (more) => createClaudeCode({ defaultSettings: { pathToClaudeCodeExecutable: process.env.CLAUDE } })('sonnet', more);

program('text', [text('Hello, provider.', { usage: { input_tokens: 70, output_tokens: 7 } })], async () => {
  const answer = await generateText({ model: model(), prompt: 'Hello' });
  equal(answer.text, 'Hello, provider.');
  equal(answer.finishReason, 'stop');
  equal(answer.usage.outputTokens, 7);
  match(requests()[0].model, /sonnet/);
});

program('a stream', [text('one two three four five six', { chunk_size: 4 })], async () => {
  const parts = [];
  for await (const part of streamText({ model: model(), prompt: 'Count' }).textStream) parts.push(part);
  equal(parts.join(''), 'one two three four five six');
  ok(parts.length > 1);
});

program('an object', [call('StructuredOutput', { count: 3 })], async () => {
  const { object } = await generateObject({ model: model(), prompt: 'Count', schema: z.object({ count: z.number() }) });
  deepEqual(object, { count: 3 });
});

program('tools', [call('Bash', { command: 'echo done > made' }), text('Finished.')], async () => {
  const answer = await generateText({ model: model({ allowedTools: ['Bash'] }), prompt: 'Go' });
  equal(answer.text, 'Finished.');
  equal(file('made'), 'done\n');
});
