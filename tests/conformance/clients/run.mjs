// Lists the programs of a file, or runs one against a mock that has its replies.
//   node run.mjs FILE [NAME]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { becomes, programs } from './program.mjs';
import { others } from './processes.mjs';

const [path, name] = process.argv.slice(2);
await import(resolve(path));
if (!name) {
  for (const each of programs.keys()) console.log(each);
} else if (!process.env.ANTHROPIC_BASE_URL) {
  writeFileSync('../scenario.json', JSON.stringify({ then: 'error', steps: programs.get(name).steps }));
  const mock = ['mock', '../scenario.json', '--log', '../requests.ndjson', '--exec', '--', process.execPath, ...process.argv.slice(1)];
  process.exit(spawnSync('ralph', mock, { stdio: 'inherit' }).status ?? 1);
} else {
  await programs.get(name).run();
  await becomes(() => others().length === 0, `no process is left (${others()})`);
  process.exit(0);
}
