// The examples of docs/clients.md, as they are there except for the path of the agent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Editor } from '../editor.mjs';
import { ask, match, ok, program, text } from '../program.mjs';

const programs = fileURLToPath(new URL('..', import.meta.url));
const { CLAUDE = '', PATH } = process.env;
const page = readFileSync(`${programs}/clients.md`, 'utf8');
const examples = page.split(/^## /m).slice(1).flatMap((section) => {
  const [, language, code] = /^```(js|python|json|bash)\n(.*?)^```$/ms.exec(section) ?? [];
  return language ? [{ title: section.split('\n')[0], language, code: code.replaceAll('/usr/local/bin/claude', CLAUDE) }] : [];
});

async function output(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PATH: `${programs}/../node_modules/.bin:${PATH}` } });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  await once(child, 'close');
  return printed;
}

const run = {
  async js(code) {
    // Beside the packages it imports.
    const folder = mkdtempSync(`${programs}/example-`);
    writeFileSync(`${folder}/example.mjs`, code);
    match(await output(process.execPath, [`${folder}/example.mjs`]), /^Hello, client\.\n$/);
  },
  async python(code) {
    match(await output(`${programs}/../../venv/bin/python`, ['-c', code]), /^Hello, client\.\n$/);
  },
  async json(code) {
    const { command, args, env } = Object.values(JSON.parse(code).agent_servers)[0];
    const editor = new Editor(`${programs}/../node_modules/.bin/${command}`, args, env);
    await editor.prompt(await editor.open(), 'Hello');
    match(editor.said(), /Hello, client\./);
    await editor.close();
  },
  async bash(code) {
    const seen = await ask('Hello');
    ok(seen.result.usage.input_tokens > 0);
    match(await output('bash', ['-ec', code]), new RegExp(seen.result.usage.input_tokens.toLocaleString('en-US')));
  },
};

for (const { title, language, code } of examples) {
  program(title, [text('Hello, client.', { usage: { input_tokens: 123456, output_tokens: 10 } })], () => run[language](code));
}
ok(examples.length === 5, `docs/clients.md has ${examples.length} examples`);
