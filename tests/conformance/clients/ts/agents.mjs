// Subagents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { getSubagentMessages, listSubagents } from '@anthropic-ai/claude-agent-sdk';
import { Session, ask, call, deepEqual, equal, file, match, ok, program, requests, text, when } from '../program.mjs';

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const delegate = (prompt, more) => call('Agent', { description: 'Counts', prompt, subagent_type: 'general-purpose', run_in_background: false, ...more });
const pears = [delegate('Count the pears'), when('Count the pears', text('Seven pears.')), text('Finished.')];
const theirs = (words) => requests().find((request) => JSON.stringify(request.messages[0]).includes(words));

program('one that is waited for', pears, async () => {
  const seen = await ask('Go', bypass);
  match(seen.outputs[0], /Seven pears\./);
  equal(seen.result.result, 'Finished.');
  const [started] = seen.of('system', 'task_started'), [ended] = seen.of('system', 'task_notification');
  equal(started.tool_use_id, seen.calls[0].id);
  equal(ended.task_id, started.task_id);
  equal(ended.status, 'completed');
});

program('its calls have a parent', [
  delegate('Count the pears'),
  { ...call('Bash', { command: 'echo counted' }), match: { last: 'Count the pears' } },
  when('counted', text('Seven pears.')),
  text('Finished.'),
], async () => {
  const seen = await ask('Go', bypass);
  const [outer, inner] = seen.calls;
  const carrier = seen.of('assistant').find((message) => message.message.content.some((block) => block.id === inner.id));
  equal(carrier.parent_tool_use_id, outer.id);
  ok(seen.of('user').some((message) => message.parent_tool_use_id === outer.id && JSON.stringify(message).includes('counted')));
});

program('its text, forwarded', pears, async () => {
  const seen = await ask('Go', { ...bypass, forwardSubagentText: true });
  const inner = seen.of('assistant').filter((message) => message.parent_tool_use_id === seen.calls[0].id);
  equal(inner[0].message.content[0].text, 'Seven pears.');
});

program('an agent of the client', [delegate('Count the pears', { subagent_type: 'counter' }), when('Count the pears', text('Seven pears.')), text('Finished.')], async () => {
  const session = new Session({ ...bypass, agents: { counter: { description: 'Counts things', prompt: 'You count very slowly.', tools: ['Read'], model: 'haiku' } } });
  await session.turn('Go');
  ok((await session.query.supportedAgents()).some((agent) => agent.name === 'counter'));
  const request = theirs('Count the pears');
  match(JSON.stringify(request.system), /You count very slowly\./);
  deepEqual(request.tools.map((tool) => tool.name), ['Read']);
  match(request.model, /haiku/);
  await session.end();
});

program('an agent of the repository', [delegate('Count the pears', { subagent_type: 'counter' }), when('Count the pears', text('Seven pears.')), text('Finished.')], async () => {
  mkdirSync('.claude/agents', { recursive: true });
  writeFileSync('.claude/agents/counter.md', '---\nname: counter\ndescription: Counts things\ntools: Read, Bash\n---\nYou count from a file.\n');
  await ask('Go', bypass);
  match(JSON.stringify(theirs('Count the pears').system), /You count from a file\./);
});

program('the session as an agent', [text('Finished.')], async () => {
  await ask('Go', { agent: 'counter', agents: { counter: { description: 'Counts things', prompt: 'You count very slowly.', tools: ['Read'] } } });
  match(JSON.stringify(requests()[0].system), /You count very slowly\./);
  ok(!requests()[0].tools.some((tool) => tool.name === 'Bash'));
});

program('two at once', [
  { content: [delegate('Count the pears'), delegate('Count the plums')] },
  when('Count the pears', text('Seven pears.')),
  when('Count the plums', text('Nine plums.')),
  text('Finished.'),
], async () => {
  const seen = await ask('Go', bypass);
  equal(seen.result.result, 'Finished.');
  const outputs = seen.outputs.join();
  ok(outputs.includes('Seven pears.') && outputs.includes('Nine plums.'));
  equal(seen.of('system', 'task_notification').length, 2);
});

program('one in the background', [
  delegate('Count the pears', { run_in_background: true }),
  when('Count the pears', text('Seven pears.', { delay_ms: 500 })),
  text('It has begun.'),
  text('There are seven.'),
], async () => {
  const seen = await ask('Go', bypass);
  equal(seen.result.result, 'There are seven.');
  ok(requests().some((request) => JSON.stringify(request.messages.at(-1)).includes('Seven pears.')));
});

program('its cost counts', [delegate('Count the pears'), when('Count the pears', text('Seven pears.', { usage: { input_tokens: 500000, output_tokens: 1 } })), text('Finished.')], async () => {
  const { result } = await ask('Go', bypass);
  const total = Object.values(result.modelUsage).reduce((sum, usage) => sum + usage.inputTokens, 0);
  ok(total >= 500000, `${total}`);
  ok(result.total_cost_usd > 1);
});

program('hooks of agents', pears, async () => {
  const events = [];
  const hook = [{ hooks: [async (input) => (events.push(input), {})] }];
  await ask('Go', { ...bypass, hooks: { SubagentStart: hook, SubagentStop: hook } });
  deepEqual(events.map((event) => event.hook_event_name), ['SubagentStart', 'SubagentStop']);
  deepEqual(events.map((event) => event.agent_type), ['general-purpose', 'general-purpose']);
  equal(events[0].agent_id, events[1].agent_id);
});

program('the client is asked about its calls', [
  delegate('Count the pears'),
  { ...call('Write', { file_path: 'made', content: '7' }), match: { last: 'Count the pears' } },
  when('made', text('Seven pears.')),
  text('Finished.'),
], async () => {
  let agent;
  await ask('Go', { canUseTool: async (_, input, { agentID }) => (agent = agentID, { behavior: 'allow', updatedInput: input }) });
  ok(agent);
  equal(file('made'), '7');
});

program('its messages, read later', pears, async () => {
  const { result } = await ask('Go', bypass);
  const [id] = await listSubagents(result.session_id, { dir: process.cwd() });
  const messages = await getSubagentMessages(result.session_id, id, { dir: process.cwd() });
  match(JSON.stringify(messages.at(-1)), /Seven pears\./);
});

program('an agent that does not exist', [delegate('Count the pears', { subagent_type: 'ghost' }), text('Finished.')], async () => {
  const seen = await ask('Go', bypass);
  equal(seen.toolResults[0].is_error, true);
  match(seen.outputs[0], /ghost/);
  equal(seen.result.result, 'Finished.');
});

program('interrupted', [
  delegate('Count the pears'),
  { text: 'Hel', trouble: { at: 'in_block', do: 'silence' }, match: { last: 'Count the pears' } },
  text('Second.'),
], async () => {
  const session = new Session(bypass);
  session.say('Go');
  await session.until((message) => message.type === 'system' && message.subtype === 'task_started');
  const reading = session.until((message) => message.type === 'result');
  await session.query.interrupt();
  equal((await reading).subtype, 'error_during_execution');
  equal((await session.turn('Go on')).result, 'Second.');
  await session.end();
});
