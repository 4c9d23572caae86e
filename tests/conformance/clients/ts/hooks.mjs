// Hooks: callbacks of the client, and commands in settings.
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session, ask, call, deepEqual, equal, file, lastRequest, match, ok, program, requests, text, when } from '../program.mjs';

const steps = [call('Bash', { command: 'echo done > made', description: 'makes a file' }), text('Finished.')];
const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

// A hook of the client that answers like this; its inputs are in `seen`.
const callback = (answer, seen = []) => [{ hooks: [async (input) => (seen.push(input), typeof answer === 'function' ? answer(input) : answer)] }];
const decision = (permissionDecision, more) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });

program('PreToolUse sees a call', steps, async () => {
  const inputs = [];
  const seen = await ask('Go', { ...bypass, hooks: { PreToolUse: callback({}, inputs) } });
  equal(inputs.length, 1);
  const [input] = inputs;
  equal(input.hook_event_name, 'PreToolUse');
  equal(input.tool_name, 'Bash');
  equal(input.tool_input.command, 'echo done > made');
  equal(input.tool_use_id, seen.calls[0].id);
  equal(input.session_id, seen.init.session_id);
  equal(input.cwd, process.cwd());
  match(input.transcript_path, /\.jsonl$/);
});

program('PreToolUse denies', steps, async () => {
  const seen = await ask('Go', { ...bypass, hooks: { PreToolUse: callback(decision('deny', { permissionDecisionReason: 'Not here.' })) } });
  equal(file('made'), '');
  match(seen.outputs[0], /Not here\./);
});

program('PreToolUse allows', steps, async () => {
  await ask('Go', { hooks: { PreToolUse: callback(decision('allow')) } });
  equal(file('made'), 'done\n');
});

program('PreToolUse asks', steps, async () => {
  let asked = 0;
  await ask('Go', {
    allowedTools: ['Bash'],
    hooks: { PreToolUse: callback(decision('ask')) },
    canUseTool: async () => (++asked, { behavior: 'deny', message: 'No.' }),
  });
  equal(asked, 1);
  equal(file('made'), '');
});

program('PreToolUse changes the input', steps, async () => {
  const updatedInput = { command: 'echo other > made', description: 'makes a file' };
  await ask('Go', { hooks: { PreToolUse: callback(decision('allow', { updatedInput })) } });
  equal(file('made'), 'other\n');
});

program('PreToolUse adds context', steps, async () => {
  await ask('Go', { ...bypass, hooks: { PreToolUse: callback({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'It is Friday.' } }) } });
  match(lastRequest(), /It is Friday\./);
});

program('PreToolUse blocks', steps, async () => {
  const seen = await ask('Go', { ...bypass, hooks: { PreToolUse: callback({ decision: 'block', reason: 'Blocked here.' }) } });
  equal(file('made'), '');
  match(seen.outputs[0], /Blocked here\./);
});

program('matchers', [call('Write', { file_path: 'made', content: '1' }), call('Bash', { command: 'true' }), text('Finished.')], async () => {
  const names = [];
  const only = (matcher) => ({ matcher, hooks: [async (input) => (names.push(`${matcher}:${input.tool_name}`), {})] });
  await ask('Go', { ...bypass, hooks: { PreToolUse: [only('Bash'), only('Write|Edit'), only('.*'), only('mcp__.*')] } });
  deepEqual(names.sort(), ['.*:Bash', '.*:Write', 'Bash:Bash', 'Write|Edit:Write']);
});

program('PostToolUse sees the result', steps, async () => {
  const inputs = [];
  const context = { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'Well done.' } };
  await ask('Go', { ...bypass, hooks: { PostToolUse: callback(context, inputs) } });
  equal(inputs[0].tool_name, 'Bash');
  ok('stdout' in inputs[0].tool_response);
  match(lastRequest(), /Well done\./);
});

program('PostToolUse stops the turn', steps, async () => {
  const seen = await ask('Go', { ...bypass, hooks: { PostToolUse: callback({ continue: false, stopReason: 'Enough.' }) } });
  equal(requests().length, 1);
  equal(seen.result.is_error, false);
  equal(file('made'), 'done\n');
});

program('PostToolUseFailure', [call('Bash', { command: 'exit 3' }), text('Finished.')], async () => {
  const failures = [], successes = [];
  await ask('Go', { ...bypass, hooks: { PostToolUseFailure: callback({}, failures), PostToolUse: callback({}, successes) } });
  equal(failures.length, 1);
  match(failures[0].error, /3/);
  equal(successes.length, 0);
});

program('UserPromptSubmit adds context', [text('Finished.')], async () => {
  const inputs = [];
  const context = { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'It rains.' } };
  await ask('What now?', { hooks: { UserPromptSubmit: callback(context, inputs) } });
  equal(inputs[0].prompt, 'What now?');
  match(lastRequest(), /It rains\./);
});

program('UserPromptSubmit blocks', [text('Never said.')], async () => {
  const seen = await ask('Go', { hooks: { UserPromptSubmit: callback({ decision: 'block', reason: 'Not this.' }) } });
  equal(requests().length, 0);
  ok(seen.result);
  ok(JSON.stringify(seen.all).includes('Not this.'));
});

program('Stop asks for more', [text('First.'), text('Second.')], async () => {
  const inputs = [];
  const seen = await ask('Go', { hooks: { Stop: callback((input) => (input.stop_hook_active ? {} : { decision: 'block', reason: 'Also the tests.' }), inputs) } });
  deepEqual(inputs.map((input) => input.stop_hook_active), [false, true]);
  equal(inputs[0].last_assistant_message, 'First.');
  match(lastRequest(), /Stop hook feedback:\\n.*Also the tests\./);
  equal(seen.result.result, 'Second.');
});

program('a callback that throws', [call('Bash', { command: 'true' }), text('Finished.')], async () => {
  let called = 0;
  const seen = await ask('Go', { ...bypass, hooks: { PostToolUse: callback(() => { ++called; throw new Error('broken hook'); }) } });
  equal(called, 1);
  equal(seen.result.result, 'Finished.');
});

// Commands in settings. Those of a repository are in settings.local.json or with --settings, which both agents run without trust.
const settings = (hooks) => JSON.stringify({ hooks });
const command = (line, more) => [{ ...more, hooks: [{ type: 'command', command: line }] }];

program('a command with exit code 2', steps, async () => {
  const seen = await ask('Go', { ...bypass, settings: settings({ PreToolUse: command('cat > input.json; echo Not allowed here. >&2; exit 2', { matcher: 'Bash' }) }) });
  equal(file('made'), '');
  match(seen.outputs[0], /PreToolUse:Bash hook error: \[.*\]: Not allowed here\./);
  equal(JSON.parse(file('input.json')).tool_input.command, 'echo done > made');
});

program('a command with a JSON answer', steps, async () => {
  writeFileSync('answer.json', JSON.stringify(decision('allow', { updatedInput: { command: 'echo hooked > made' } })));
  await ask('Go', { settings: settings({ PreToolUse: command('cat answer.json') }) });
  equal(file('made'), 'hooked\n');
});

program('commands of the user', [call('Bash', { command: 'true' }), text('First.'), text('Second.')], async () => {
  mkdirSync(`${process.env.HOME}/.claude`);
  const record = command('jq -r .hook_event_name >> "$CLAUDE_PROJECT_DIR/events"');
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'];
  writeFileSync(`${process.env.HOME}/.claude/settings.json`, settings(Object.fromEntries(events.map((event) => [event, record]))));
  await ask('Go', bypass);
  deepEqual(file('events').trim().split('\n'), events);
});

program('PreCompact', [text('First.'), when('summary', text('A summary.')), text('Second.')], async () => {
  const session = new Session({ settings: settings({ PreCompact: command('jq -r .trigger >> trigger') }) });
  await session.turn('Go');
  await session.turn('/compact');
  equal(file('trigger'), 'manual\n');
  equal(session.of('system', 'compact_boundary').length, 1);
  await session.end();
});

program('hook events', [call('Bash', { command: 'true' }), text('Finished.')], async () => {
  const seen = await ask('Go', { ...bypass, includeHookEvents: true, settings: settings({ PreToolUse: command('true', { matcher: 'Bash' }) }) });
  ok(seen.of('system', 'hook_started').some((event) => event.hook_event === 'PreToolUse'));
  ok(seen.of('system', 'hook_response').some((event) => event.hook_event === 'PreToolUse' && event.outcome === 'success'));
});
