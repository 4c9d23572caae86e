// An editor that uses an adapter for the Agent Client Protocol: JSON-RPC over stdin and stdout of the adapter.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { becomes, call, deepEqual, equal, file, match, ok, program, requests, text } from '../program.mjs';

const adapter = fileURLToPath(import.meta.resolve('@agentclientprotocol/claude-agent-acp'))
  .replace(/dist\/.*/, 'dist/index.js');

class Editor {
  #next = 1; #open = new Map(); updates = []; asked = [];
  constructor(answer) {
    this.answer = answer;
    this.child = spawn(process.execPath, [adapter], { env: { ...process.env, CLAUDE_CODE_EXECUTABLE: process.env.CLAUDE }, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#receive(JSON.parse(line)));
  }
  #send(message) { this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`); }
  #receive({ id, method, params, result, error }) {
    if (method === 'session/update') return this.updates.push(params.update);
    if (method === 'session/request_permission') {
      this.asked.push(params);
      const optionId = params.options.find((option) => option.kind === this.answer).optionId;
      return this.#send({ id, result: { outcome: { outcome: 'selected', optionId } } });
    }
    if (method) return id !== undefined && this.#send({ id, error: { code: -32601, message: 'unknown' } });
    const { resolve, reject } = this.#open.get(id);
    if (error) reject(new Error(JSON.stringify(error)));
    else resolve(result);
  }
  call(method, params) {
    const id = this.#next++;
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }
  notify(method, params) { this.#send({ method, params }); }
  async open() {
    this.about = await this.call('initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } });
    this.session = await this.call('session/new', { cwd: process.cwd(), mcpServers: [] });
    return this.session.sessionId;
  }
  prompt(sessionId, words) { return this.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] }); }
  said() { return this.updates.filter((update) => update.sessionUpdate === 'agent_message_chunk').map((update) => update.content.text).join(''); }
  async close() {
    this.child.stdin.end();
    await becomes(() => this.child.exitCode !== null, 'the adapter has ended');
  }
}

program('a prompt', [text('Hello, editor.')], async () => {
  const editor = new Editor();
  const id = await editor.open();
  equal((await editor.prompt(id, 'Hello')).stopReason, 'end_turn');
  match(editor.said(), /Hello, editor\./);
  ok(editor.session.modes.availableModes.length > 1);
  await editor.close();
});

const steps = [call('Write', { file_path: 'made', content: 'done' }), text('Finished.')];

program('a permission', steps, async () => {
  const editor = new Editor('allow_once');
  equal((await editor.prompt(await editor.open(), 'Go')).stopReason, 'end_turn');
  equal(editor.asked.length, 1);
  equal(file('made'), 'done');
  deepEqual(editor.updates.filter((update) => update.sessionUpdate === 'tool_call_update').at(-1).status, 'completed');
  await editor.close();
});

program('a permission refused', steps, async () => {
  const editor = new Editor('reject_once');
  await editor.prompt(await editor.open(), 'Go');
  equal(editor.asked.length, 1);
  equal(file('made'), '');
  await editor.close();
});

program('cancel', [{ text: 'Hel', trouble: { at: 'in_block', do: 'silence' } }, text('Second.')], async () => {
  const editor = new Editor();
  const id = await editor.open();
  const answer = editor.prompt(id, 'Go');
  await becomes(() => requests().length === 1, 'the model is asked');
  editor.notify('session/cancel', { sessionId: id });
  equal((await answer).stopReason, 'cancelled');
  equal((await editor.prompt(id, 'Go on')).stopReason, 'end_turn');
  match(editor.said(), /Second\./);
  await editor.close();
});
