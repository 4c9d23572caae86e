// Prompts, results, and sessions that are continued, listed and read.
import { getSessionInfo, getSessionMessages, listSessions, query, renameSession, startup } from '@anthropic-ai/claude-agent-sdk';
import { Session, ask, call, deepEqual, equal, match, ok, options, program, requests, text, when } from '../program.mjs';

const one = [text('Finished.', { usage: { input_tokens: 1000, output_tokens: 100 } })];
const system = () => JSON.stringify(requests()[0].system ?? '');

program('a prompt', one, async () => {
  const seen = await ask('Say it');
  const { result } = seen;
  equal(result.subtype, 'success');
  equal(result.result, 'Finished.');
  equal(result.is_error, false);
  equal(result.num_turns, 1);
  equal(result.usage.input_tokens, 1000);
  ok(result.total_cost_usd > 0 && Object.keys(result.modelUsage).length === 1);
  equal(result.session_id, seen.init.session_id);
  equal(seen.init.cwd, process.cwd());
  ok(seen.init.tools.includes('Bash') && seen.init.claude_code_version);
});

program('a warm process', one, async () => {
  const warm = await startup({ options: options({}) });
  let result;
  for await (const message of warm.query('Say it')) if (message.type === 'result') result = message;
  equal(result.result, 'Finished.');
});

program('no system prompt', one, async () => {
  await ask('Say it');
  ok(!/interactive agent|software engineering/i.test(system()), system());
});

program('a system prompt', one, async () => {
  await ask('Say it', { systemPrompt: 'You are a pirate.' });
  match(system(), /You are a pirate\./);
});

program('the preset with more', one, async () => {
  await ask('Say it', { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Answer in French.' } });
  match(system(), /Answer in French\./);
  ok(system().length > 1000);
});

program('partial messages', one, async () => {
  const seen = await ask('Say it', { includePartialMessages: true });
  const types = seen.of('stream_event').map((message) => message.event.type);
  equal(types[0], 'message_start');
  equal(types.at(-1), 'message_stop');
  const deltas = seen.of('stream_event').map(({ event }) => event.delta?.text ?? '').join('');
  equal(deltas, 'Finished.');
});

const schema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'], additionalProperties: false };
const outputFormat = { type: 'json_schema', schema };

program('structured output', [call('StructuredOutput', { count: 3 })], async () => {
  const seen = await ask('Count', { outputFormat });
  deepEqual(seen.result.structured_output, { count: 3 });
  equal(requests().length, 1);
});

program('structured output, wrong first', [call('StructuredOutput', { count: 'three' }), call('StructuredOutput', { count: 3 })], async () => {
  const seen = await ask('Count', { outputFormat });
  match(seen.outputs[0], /does not match/);
  deepEqual(seen.result.structured_output, { count: 3 });
});

program('a limit of turns', [call('Bash', { command: 'true' }), call('Bash', { command: 'true' }), text('Never said.')], async () => {
  const seen = await ask('Go', { maxTurns: 2 });
  equal(seen.result.subtype, 'error_max_turns');
  equal(seen.result.is_error, true);
  equal(requests().length, 2);
  ok(seen.error);
});

program('a limit of cost', [call('Bash', { command: 'true' }, { usage: { input_tokens: 900000, output_tokens: 10 } }), text('Never said.')], async () => {
  const seen = await ask('Go', { maxBudgetUsd: 0.01 });
  equal(seen.result.subtype, 'error_max_budget_usd');
  equal(requests().length, 1);
});

program('an error of the API', [{ error: { status: 400, message: 'that was wrong' }, times: 9 }], async () => {
  const seen = await ask('Go');
  equal(seen.result.is_error, true);
  equal(seen.result.api_error_status, 400);
  match(seen.result.result, /API Error: 400 .*that was wrong/);
  ok(seen.error);
});

program('an overload', [{ error: { status: 529, headers: { 'retry-after': '0' } } }, text('Finished.')], async () => {
  const seen = await ask('Go');
  equal(seen.of('system', 'api_retry')[0].error_status, 529);
  equal(seen.result.result, 'Finished.');
});

program('thinking', [{ thinking: 'I should look.', text: 'Finished.' }], async () => {
  const seen = await ask('Go', { model: 'opus' });
  equal(seen.blocks('assistant', 'thinking')[0].thinking, 'I should look.');
  ok(seen.blocks('assistant', 'thinking')[0].signature);
});

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

program('an image in a message', one, async () => {
  const session = new Session({});
  await session.turn([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }, { type: 'text', text: 'What is it?' }]);
  ok(requests()[0].messages.flatMap((message) => message.content).some((block) => block.type === 'image'));
  await session.end();
});

program('two turns', [text('First.'), text('Second.')], async () => {
  const session = new Session({});
  const first = await session.turn('One');
  const second = await session.turn('Two');
  equal(first.session_id, second.session_id);
  ok(second.total_cost_usd >= first.total_cost_usd);
  ok(JSON.stringify(requests()[1]).includes('First.'));
  equal(session.of('system', 'init').length, 2);
  await session.end();
});

program('resume', [text('First.'), text('Second.')], async () => {
  const first = await ask('Remember 7');
  const second = await ask('What was it?', { resume: first.result.session_id });
  equal(second.result.session_id, first.result.session_id);
  match(JSON.stringify(requests()[1]), /Remember 7.*First\./);
});

program('continue', [text('First.'), text('Second.')], async () => {
  const first = await ask('Remember 7');
  const second = await ask('What was it?', { continue: true });
  equal(second.result.session_id, first.result.session_id);
  match(JSON.stringify(requests()[1]), /Remember 7/);
});

program('fork', [text('First.'), text('Second.')], async () => {
  const first = await ask('Remember 7');
  const second = await ask('What was it?', { resume: first.result.session_id, forkSession: true });
  ok(second.result.session_id !== first.result.session_id);
  match(JSON.stringify(requests()[1]), /Remember 7/);
});

program('a session id, and none kept', [text('First.'), text('Second.')], async () => {
  const sessionId = '11111111-2222-4333-8444-555555555555';
  equal((await ask('Go', { sessionId })).result.session_id, sessionId);
  const { result } = await ask('Go', { persistSession: false });
  deepEqual((await listSessions({ dir: process.cwd() })).map((session) => session.sessionId), [sessionId]);
  ok(result.session_id !== sessionId);
});

program('sessions listed and read', [call('Bash', { command: 'echo hello' }), text('Finished.')], async () => {
  const { result } = await ask('Greet everybody');
  const [session] = await listSessions({ dir: process.cwd() });
  equal(session.sessionId, result.session_id);
  match(session.summary, /Greet everybody/);
  const messages = await getSessionMessages(result.session_id, { dir: process.cwd() });
  deepEqual(messages.map((message) => message.type), ['user', 'assistant', 'user', 'assistant']);
  match(JSON.stringify(messages[2].message), /hello/);
});

program('a title', [text('Finished.')], async () => {
  const { result } = await ask('Go', { title: 'Greetings' });
  equal((await getSessionInfo(result.session_id, { dir: process.cwd() })).customTitle, 'Greetings');
  await renameSession(result.session_id, 'Farewells', { dir: process.cwd() });
  equal((await getSessionInfo(result.session_id, { dir: process.cwd() })).customTitle, 'Farewells');
});

program('compact', [text('First.'), when('summary', text('A summary of all.')), text('Second.')], async () => {
  const session = new Session({});
  await session.turn('Remember 7');
  await session.turn('/compact');
  equal(session.of('system', 'compact_boundary')[0].compact_metadata.trigger, 'manual');
  await session.turn('Go on');
  match(JSON.stringify(requests().at(-1)), /A summary of all\./);
  await session.end();
});

program('clear', [text('First.'), text('Second.')], async () => {
  const session = new Session({});
  await session.turn('Remember 7');
  await session.turn('/clear');
  const { session_id } = await session.turn('Go on');
  ok(session_id !== session.init.session_id);
  ok(!JSON.stringify(requests().at(-1)).includes('Remember 7'));
  await session.end();
});
