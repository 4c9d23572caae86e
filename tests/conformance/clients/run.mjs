// Lists the programs of a file, or runs one against a mock that has its replies.
//   node run.mjs FILE [NAME]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { becomes, programs } from './program.mjs';
import { others } from './processes.mjs';

const [path, name] = process.argv.slice(2);
await import(resolve(path));
if (!name) {
  for (const each of programs.keys()) console.log(each);
  process.exit(0);
}
const { steps, run } = programs.get(name);
writeFileSync('../scenario.json', JSON.stringify({ then: 'error', steps }));
// It ends with the process ID namespace.
const mock = spawn('ralph', ['mock', '../scenario.json', '--log', '../requests.ndjson', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(createInterface({ input: mock.stdout }), 'line');
process.env.ANTHROPIC_BASE_URL = JSON.parse(line).url;
await run();
await becomes(() => others(mock.pid).length === 0, () => `no process is left (${others(mock.pid)})`);
process.exit(0);
