// A reader of transcripts: the tokens it counts are those the API was asked for.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask, call, equal, match, ok, program, text } from '../program.mjs';

const ccusage = fileURLToPath(import.meta.resolve('ccusage')).replace(/dist\/.*/, 'dist/index.js');
const usage = { input_tokens: 1000, output_tokens: 50, cache_read_input_tokens: 300, cache_creation_input_tokens: 20 };

const report = (...words) => JSON.parse(execFileSync(process.execPath, [ccusage, ...words, '--json', '--offline'], { encoding: 'utf8' }));

const steps = [
  { content: [text('Two calls.'), call('Bash', { command: 'echo 1' }), call('Bash', { command: 'echo 2' })], usage },
  text('Finished.', { usage }),
];

program('per day', steps, async () => {
  await ask('Go');
  const { totals, daily } = report('daily');
  equal(totals.inputTokens, 2000);
  equal(totals.outputTokens, 100);
  equal(totals.cacheReadTokens, 600);
  equal(totals.cacheCreationTokens, 40);
  match(daily[0].modelsUsed[0], /^claude-/);
});

program('per session', steps, async () => {
  await ask('Go');
  await ask('Go on', { continue: true }).catch(() => {});
  const { sessions } = report('session');
  equal(sessions.length, 1);
  ok(sessions[0].inputTokens >= 2000);
});
