// The tools, and what users configure: commands, skills, instructions, settings.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Session, ask, call, deepEqual, equal, file, match, ok, program, requests, text } from '../program.mjs';

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const offered = () => requests()[0].tools.map((tool) => tool.name);

program('files', [
  call('Write', { file_path: 'notes.txt', content: 'one\n' }),
  call('Read', { file_path: 'notes.txt' }),
  call('Edit', { file_path: 'notes.txt', old_string: 'one', new_string: 'two' }),
  text('Finished.'),
], async () => {
  const seen = await ask('Go', { permissionMode: 'acceptEdits' });
  equal(file('notes.txt'), 'two\n');
  deepEqual(seen.toolResults.map((result) => result.is_error ?? false), [false, false, false]);
});

program('a choice of tools', [text('Finished.')], async () => {
  await ask('Go', { tools: ['Read', 'Glob', 'Grep'] });
  deepEqual(offered().filter((name) => /^(Read|Glob|Grep|Bash|Write|Edit)$/.test(name)).sort(), ['Glob', 'Grep', 'Read']);
});

program('no tools', [text('Finished.')], async () => {
  await ask('Go', { tools: [] });
  deepEqual(requests()[0].tools ?? [], []);
});

program('a tool taken away', [text('Finished.')], async () => {
  await ask('Go', { disallowedTools: ['Bash'] });
  ok(!offered().includes('Bash') && offered().includes('Read'));
});

program('a tool that does not exist', [call('Teleport', { to: 'Mars' }), text('Finished.')], async () => {
  const seen = await ask('Go', bypass);
  equal(seen.toolResults[0].is_error, true);
  match(seen.outputs[0], /Teleport/);
  equal(seen.result.result, 'Finished.');
});

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

program('an image', [call('Read', { file_path: 'pixel.png' }), text('Finished.')], async () => {
  writeFileSync('pixel.png', Buffer.from(pixel, 'base64'));
  await ask('Go');
  ok(requests()[1].messages.at(-1).content.some((block) => block.content?.some?.((inner) => inner.type === 'image')));
});

const notebook = { cells: [{ cell_type: 'code', id: 'a', source: ['print(42)'], metadata: {}, outputs: [], execution_count: 1 }], metadata: {}, nbformat: 4, nbformat_minor: 5 };

program('a notebook', [call('Read', { file_path: 'sums.ipynb' }), text('Finished.')], async () => {
  writeFileSync('sums.ipynb', JSON.stringify(notebook));
  await ask('Go');
  match(JSON.stringify(requests()[1].messages.at(-1)), /print\(42\)/);
});

program('a command in the background', [call('Bash', { command: 'echo slow > made', run_in_background: true, description: 'writes' }), text('It has begun.'), text('It has ended.')], async () => {
  const seen = await ask('Go', bypass);
  equal(file('made'), 'slow\n');
  equal(seen.result.result, 'It has ended.');
  equal(seen.of('system', 'task_notification')[0].status, 'completed');
});

program('plan mode', [call('Write', { file_path: 'made', content: '1' }), text('This is the plan.')], async () => {
  const seen = await ask('Go', { permissionMode: 'plan' });
  ok(!existsSync('made'));
  equal(seen.init.permissionMode, 'plan');
  equal(seen.result.permission_denials.length, 1);
});

function writeCommands() {
  mkdirSync('.claude/commands', { recursive: true });
  writeFileSync('.claude/commands/fix.md', '---\ndescription: Fixes an issue\n---\nFix issue number $ARGUMENTS now.\n');
  mkdirSync('.claude/skills/greet', { recursive: true });
  writeFileSync('.claude/skills/greet/SKILL.md', '---\nname: greet\ndescription: Greets people\n---\nSay hello to $ARGUMENTS.\n');
}

program('a slash command', [text('Finished.')], async () => {
  writeCommands();
  const session = new Session({});
  await session.turn('/fix 12');
  match(JSON.stringify(requests()[0].messages), /Fix issue number 12 now\./);
  const command = (await session.query.supportedCommands()).find((each) => each.name === 'fix');
  match(command.description, /Fixes an issue/);
  ok(session.init.slash_commands.includes('fix'));
  await session.end();
});

program('a skill', [call('Skill', { skill: 'greet', args: 'everybody' }), text('Finished.')], async () => {
  writeCommands();
  const seen = await ask('Go', bypass);
  ok(seen.init.skills.includes('greet'));
  match(JSON.stringify(requests()[1].messages), /Say hello to everybody\./);
});

program('instructions', [text('Finished.')], async () => {
  writeFileSync('CLAUDE.md', 'Always answer in French.\n');
  await ask('Go', { systemPrompt: { type: 'preset', preset: 'claude_code' } });
  match(JSON.stringify(requests()[0]), /Always answer in French\./);
});

program('no settings files', [text('Finished.')], async () => {
  writeFileSync('CLAUDE.md', 'Always answer in French.\n');
  writeCommands();
  const seen = await ask('Go', { settingSources: [] });
  ok(!JSON.stringify(requests()[0]).includes('Always answer in French.'));
  ok(!seen.init.slash_commands.includes('fix'));
});

program('more directories', [call('Read', { file_path: '../beside/notes.txt' }), text('Finished.')], async () => {
  mkdirSync('../beside');
  writeFileSync('../beside/notes.txt', 'from outside\n');
  const seen = await ask('Go', { additionalDirectories: [`${process.cwd()}/../beside`] });
  match(seen.outputs[0], /from outside/);
});

const writes = [call('Bash', { command: 'echo done > made' }), text('Finished.')];

// A repository whose settings allow Bash, trusted or not.
function repository(hasTrustDialogAccepted) {
  mkdirSync('.git');
  mkdirSync('.claude', { recursive: true });
  writeFileSync('.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash'] } }));
  writeFileSync(`${process.env.HOME}/.claude.json`, JSON.stringify({ projects: { [process.cwd()]: { hasTrustDialogAccepted } } }));
}

program('settings of a trusted repository', writes, async () => {
  repository(true);
  await ask('Go');
  equal(file('made'), 'done\n');
});

program('settings of a repository that is not trusted', writes, async () => {
  repository(false);
  const seen = await ask('Go');
  ok(!existsSync('made'));
  equal(seen.result.permission_denials.length, 1);
});

program('the environment of settings', [call('Bash', { command: 'echo "$GREETING" > made' }), text('Finished.')], async () => {
  await ask('Go', { ...bypass, settings: JSON.stringify({ env: { GREETING: 'hello' } }) });
  equal(file('made'), 'hello\n');
});
