// Clients without an SDK: lines of JSON over pipes, also of clients that die, are silent or talk too much.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { becomes, call, deepEqual, equal, file, match, ok, program, requests, text } from '../program.mjs';

const words = ['-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'];
const steps = [call('Bash', { command: 'echo done > made', description: 'makes a file' }), text('Finished.')];
const sleep = call('Bash', { command: 'touch started; sleep 71234', timeout: 600000, description: 'waits' });

class Client {
  lines = []; #ids = 0;
  constructor(...more) {
    this.child = spawn(process.env.CLAUDE, [...words, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.ended = once(this.child, 'close');
    this.child.stdin.on('error', () => {});
    const output = createInterface({ input: this.child.stdout });
    output.on('line', (line) => this.lines.push(JSON.parse(line))).on('close', () => (this.silent = true));
  }
  async until(fact, what) {
    await becomes(() => this.silent || fact(), what);
    ok(fact(), `the agent ended before ${what}`);
  }
  write(line) { this.child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`); }
  say(content) { this.write({ type: 'user', message: { role: 'user', content } }); }
  of(type) { return this.lines.filter((line) => line.type === type); }
  async line(fits) {
    await this.until(() => this.lines.some(fits), `there is a line with ${fits}`);
    return this.lines.find(fits);
  }
  results(count) { return this.until(() => this.of('result').length >= count, `there are ${count} results`); }
  async request(subtype, more) {
    const request_id = `r${++this.#ids}`;
    this.write({ type: 'control_request', request_id, request: { subtype, ...more } });
    return (await this.line((line) => line.response?.request_id === request_id)).response;
  }
  answer(request_id, response) { this.write({ type: 'control_response', response: { subtype: 'success', request_id, response } }); }
  // Closes stdin; the exit code.
  async end() {
    this.child.stdin.end();
    return (await this.ended)[0];
  }
}

program('initialize late', [text('First.'), text('Second.')], async () => {
  const client = new Client();
  client.say('Go');
  await client.results(1);
  const { subtype, response } = await client.request('initialize', { hooks: null });
  equal(subtype, 'success');
  ok(response.commands && response.models.length && response.agents);
  client.say('Go on');
  await client.results(2);
  equal(await client.end(), 0);
});

program('initialize never, stdin closed at once', [text('Finished.')], async () => {
  const client = new Client();
  client.say('Go');
  equal(await client.end(), 0);
  equal(client.of('result').at(-1).result, 'Finished.');
});

program('lines that mean nothing', [text('Finished.')], async () => {
  const client = new Client();
  for (const line of ['', { type: 'keep_alive' }, { type: 'surprise', a: 1 }]) client.write(line);
  client.answer('nobody-asked', { behavior: 'allow' });
  client.write({ type: 'control_cancel_request', request_id: 'nobody-asked' });
  client.say('Go');
  await client.results(1);
  equal(await client.end(), 0);
});

program('a line that is not JSON', [text('Never said.')], async () => {
  const client = new Client();
  client.write('{broken');
  equal((await client.ended)[0], 1);
});

program('requests by name', [text('Finished.', { usage: { input_tokens: 1000, output_tokens: 10 } })], async () => {
  writeFileSync('notes.txt', 'one\n');
  const client = new Client();
  await client.request('initialize');
  client.say('Go');
  await client.results(1);
  const served = {
    get_settings: {}, list_models: {}, get_session_cost: {}, get_usage: {}, get_binary_version: {}, list_permission_rules: {}, mcp_status: {},
    get_context_usage: {}, reload_skills: {}, rename_session: { title: 'Notes' }, set_max_thinking_tokens: { max_thinking_tokens: 1024 },
    read_file: { path: 'notes.txt' }, file_suggestions: { query: 'not' }, seed_read_state: { path: 'notes.txt', mtime: 1 },
    set_has_subscribers: { has_subscribers: true }, stop_task: { task_id: 'x' }, background_tasks: {},
  };
  for (const [subtype, more] of Object.entries(served)) equal((await client.request(subtype, more)).subtype, 'success', subtype);
  const { response } = await client.request('cancel_async_message', { message_uuid: '11111111-2222-4333-8444-555555555555' });
  equal(response.cancelled, false);
  const refused = await client.request('make_coffee');
  equal(refused.subtype, 'error');
  match(refused.error, /make_coffee/);
  equal(await client.end(), 0);
});

program('a message cancelled while it waits', [{ ...sleep }, text('Never.')], async () => {
  const client = new Client('--dangerously-skip-permissions');
  const uuid = '11111111-2222-4333-8444-555555555555';
  client.say('Go');
  await client.until(() => existsSync('started'), 'the command has started');
  client.write({ type: 'user', uuid, message: { role: 'user', content: 'Also this' } });
  equal((await client.request('cancel_async_message', { message_uuid: uuid })).response.cancelled, true);
  await client.request('interrupt');
  await client.results(1);
  await client.end();
  ok(!JSON.stringify(requests()).includes('Also this'));
});

program('a client that answers twice', steps, async () => {
  const client = new Client('--permission-prompt-tool', 'stdio');
  client.say('Go');
  const { request_id, request } = await client.line((line) => line.request?.subtype === 'can_use_tool');
  client.answer(request_id, { behavior: 'allow', updatedInput: request.input });
  client.answer(request_id, { behavior: 'deny', message: 'No.' });
  await client.results(1);
  equal(await client.end(), 0);
  equal(file('made'), 'done\n');
});

program('a client that answers nonsense', steps, async () => {
  const client = new Client('--permission-prompt-tool', 'stdio');
  client.say('Go');
  const { request_id } = await client.line((line) => line.request?.subtype === 'can_use_tool');
  client.answer(request_id, { behaviour: 'yes' });
  await client.results(1);
  await client.end();
  equal(file('made'), '');
});

program('a client that never answers and closes stdin', steps, async () => {
  const client = new Client('--permission-prompt-tool', 'stdio');
  client.say('Go');
  await client.line((line) => line.request?.subtype === 'can_use_tool');
  await client.end();
  equal(file('made'), '');
});

program('a client that closes both pipes', [sleep], async () => {
  const client = new Client('--dangerously-skip-permissions');
  client.say('Go');
  await client.until(() => existsSync('started'), 'the command has started');
  client.child.stdin.destroy();
  client.child.stdout.destroy();
  client.child.kill('SIGTERM');
  await client.ended;
});

const aWhile = call('Bash', { command: 'touch started; sleep 2', description: 'waits' });

program('a client that is killed', [aWhile, text('Nobody reads this.')], async () => {
  const script = `const child = require('child_process').spawn(process.env.CLAUDE, ${JSON.stringify([...words, '--dangerously-skip-permissions'])});
    child.stdin.write(JSON.stringify({ type: 'user', message: { role: 'user', content: 'Go' } }) + '\\n');`;
  const client = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
  await becomes(() => client.exitCode !== null || existsSync('started'), 'the command has started');
  ok(client.kill('SIGKILL'));
  await once(client, 'close');
});

program('two messages and an interrupt', [{ text: 'Hel', trouble: { at: 'in_block', do: 'silence' } }, text('Second.')], async () => {
  const client = new Client();
  client.say('Go');
  await client.until(() => requests().length === 1, 'the model is asked');
  const { response } = await client.request('interrupt');
  deepEqual(response.still_queued, []);
  await client.results(1);
  equal(client.of('result')[0].subtype, 'error_during_execution');
  client.say('Go on');
  await client.results(2);
  equal(await client.end(), 0);
});

program('exit code 1', [{ error: { status: 400, message: 'wrong' }, times: 9 }], async () => {
  const client = new Client();
  client.say('Go');
  equal(await client.end(), 1);
  equal(client.of('result')[0].is_error, true);
});
