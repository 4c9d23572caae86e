// An editor that talks to an adapter for the Agent Client Protocol: JSON-RPC over stdin and stdout of the adapter.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { becomes } from './program.mjs';

export class Editor {
  #next = 1; #open = new Map(); updates = []; asked = [];
  // `answer`: the kind of option the user chooses when asked for permission.
  constructor(command, args, env, answer) {
    this.answer = answer;
    this.child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#receive(JSON.parse(line)));
  }
  #send(message) { this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`); }
  #receive({ id, method, params, result, error }) {
    if (method === 'session/update') return this.updates.push(params.update);
    if (method === 'session/request_permission') {
      this.asked.push(params);
      const { optionId } = params.options.find((option) => option.kind === this.answer);
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
    await this.call('initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } });
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
