// What the programs of this directory share. A program is one call of `program`: what the mocked model says, and what the
// client does and finds out. It fails by throwing.
//   node run.mjs FILE [NAME]     lists the programs of a file, or runs one
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';

export const { equal, deepEqual, match, ok, rejects } = assert;
export const programs = new Map();

// steps: the replies of the model, see docs/mock.md.
export const program = (name, steps, run) => programs.set(name, { steps, run });

// Replies of the model.
export const text = (words, more) => ({ text: words, ...more });
export const call = (name, input, more) => ({ tool_use: { name, input }, ...more });

// A reply to the requests whose last message contains a text: for what is not part of the main conversation.
export const when = (last, step) => ({ ...step, match: { last } });

// A file of the directory the program runs in, '' if there is none.
export const file = (name) => (existsSync(name) ? readFileSync(name, 'utf8') : '');

// The message requests that the API got, as JSON.
export const requests = () =>
  file('../requests.ndjson').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line))
    .filter((request) => /\/v1\/messages(\?|$)/.test(request.target)).map((request) => request.body);
export const lastRequest = () => JSON.stringify(requests().at(-1));

export const options = (more) => ({
  pathToClaudeCodeExecutable: process.env.CLAUDE,
  stderr: (line) => process.stderr.write(line),
  ...more,
});

// The messages of a session, and what programs look for in them.
export class Messages {
  all = [];
  get result() { return this.all.findLast((message) => message.type === 'result'); }
  get init() { return this.of('system', 'init')[0]; }
  of(type, subtype) { return this.all.filter((m) => m.type === type && (!subtype || m.subtype === subtype)); }
  get calls() { return this.blocks('assistant', 'tool_use'); }
  get toolResults() { return this.blocks('user', 'tool_result'); }
  blocks(role, type) {
    return this.of(role).flatMap((m) => (Array.isArray(m.message.content) ? m.message.content : [])).filter((b) => b.type === type);
  }
  // The texts of the tool results, each as one string.
  get outputs() { return this.toolResults.map((b) => (typeof b.content === 'string' ? b.content : JSON.stringify(b.content))); }
}

// One prompt, until the process ends. What it throws after the messages is `error`.
export async function ask(prompt, more) {
  const seen = new Messages();
  try {
    for await (const message of query({ prompt, options: options(more) })) seen.all.push(message);
  } catch (error) {
    if (!seen.result) throw error;
    seen.error = error;
  }
  return seen;
}

// A session that stays open: `say` sends a message, `until` reads up to a message that fits.
export class Session extends Messages {
  #queue = []; #wake = () => {}; #closed = false;
  constructor(more) {
    super();
    this.query = query({ prompt: this.#input(), options: options(more) });
  }
  async *#input() {
    for (;;) {
      while (this.#queue.length) yield this.#queue.shift();
      if (this.#closed) return;
      await new Promise((resolve) => (this.#wake = resolve));
    }
  }
  say(content, more) {
    this.#queue.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', ...more });
    this.#wake();
  }
  async until(fits) {
    for (;;) {
      const { value, done } = await this.query.next();
      if (done) throw new Error('the session ended early');
      this.all.push(value);
      if (fits(value)) return value;
    }
  }
  turn(content, more) {
    this.say(content, more);
    return this.until((message) => message.type === 'result');
  }
  // Closes stdin and reads the rest.
  async end() {
    this.#closed = true;
    this.#wake();
    for await (const message of this.query) this.all.push(message);
  }
}

// Waits until something is true that no message announces.
export async function becomes(fact, what) {
  for (let i = 0; i < 400; ++i) {
    if (await fact()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never so: ${typeof what === 'function' ? what() : what}`);
}
