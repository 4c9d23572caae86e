// Control requests of a client, also while a turn runs.
import { existsSync, writeFileSync } from 'node:fs';
import { Session, ask, becomes, call, deepEqual, equal, file, match, ok, program, rejects, requests, text } from '../program.mjs';

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const sleep = call('Bash', { command: 'touch started; sleep 71234', timeout: 600000, description: 'waits' });
const started = () => becomes(() => existsSync('started'), 'the command has started');
const silence = { text: 'Hel', trouble: { at: 'in_block', do: 'silence' } };

// Uses a session that has had one turn.
const afterATurn = (more, run) => async () => {
  const session = new Session(more);
  await session.turn('Go');
  await run(session.query, session);
  await session.end();
};

program('what initialize answers', [text('Finished.')], afterATurn({}, async (query) => {
  ok((await query.supportedCommands()).every((command) => command.name && 'description' in command));
  ok((await query.supportedCommands()).some((command) => command.name === 'compact'));
  ok((await query.supportedModels()).every((model) => model.value && model.displayName));
  ok((await query.supportedAgents()).some((agent) => agent.name === 'general-purpose'));
  equal(typeof (await query.accountInfo()), 'object');
  const answer = await query.initializationResult();
  ok(answer.available_output_styles.includes(answer.output_style));
}));

program('initialize twice', [text('First.'), text('Second.')], async () => {
  const session = new Session({});
  await session.turn('Go');
  ok((await session.query.reinitialize()).models.length > 0);
  equal((await session.turn('Go on')).result, 'Second.');
  await session.end();
});

program('interrupt a command', [sleep, text('Second.')], async () => {
  const session = new Session(bypass);
  session.say('Go');
  const reading = session.until((message) => message.type === 'result');
  await started();
  const receipt = await session.query.interrupt();
  deepEqual(receipt.still_queued, []);
  equal((await reading).subtype, 'error_during_execution');
  equal((await session.turn('Go on')).result, 'Second.');
  await session.end();
});

program('interrupt a reply', [silence, text('Second.')], async () => {
  const session = new Session({ includePartialMessages: true });
  session.say('Go');
  await session.until((message) => message.type === 'stream_event' && message.event.type === 'content_block_delta');
  await session.query.interrupt();
  equal((await session.until((message) => message.type === 'result')).subtype, 'error_during_execution');
  ok(JSON.stringify(session.of('user')).includes('[Request interrupted by user]'));
  equal((await session.turn('Go on')).result, 'Second.');
  await session.end();
});

program('interrupt an open question', [call('Write', { file_path: 'made', content: '1' }), text('Second.')], async () => {
  let asked, cancelled = false;
  const question = new Promise((resolve) => (asked = resolve));
  const session = new Session({
    canUseTool: (_, __, { signal }) => new Promise((resolve) => {
      asked();
      signal.addEventListener('abort', () => { cancelled = true; resolve({ behavior: 'deny', message: 'aborted' }); });
    }),
  });
  session.say('Go');
  const reading = session.until((message) => message.type === 'result');
  await question;
  await session.query.interrupt();
  equal((await reading).subtype, 'error_during_execution');
  equal(cancelled, true);
  equal(file('made'), '');
  equal((await session.turn('Go on')).result, 'Second.');
  await session.end();
});

program('set_model', [text('First.'), text('Second.')], async () => {
  const session = new Session({ model: 'opus' });
  await session.turn('Go');
  await session.query.setModel('haiku');
  await session.turn('Go on');
  const models = requests().map((request) => request.model);
  match(models[0], /opus/);
  match(models[1], /haiku/);
  await session.end();
});

program('set_permission_mode in a turn', [call('Write', { file_path: 'one', content: '1' }), call('Write', { file_path: 'two', content: '2' }), text('Finished.')], async () => {
  const session = new Session({
    canUseTool: async (_, input) => {
      await session.query.setPermissionMode('acceptEdits');
      return { behavior: 'allow', updatedInput: input };
    },
  });
  await session.turn('Go');
  equal(file('one') + file('two'), '12');
  ok(session.of('system', 'status').some((status) => status.permissionMode === 'acceptEdits'));
  await session.end();
});

program('set_permission_mode that is not allowed', [text('First.'), call('Write', { file_path: 'made', content: '1' }), text('Second.')],
  afterATurn({}, async (query, session) => {
    await rejects(query.setPermissionMode('bypassPermissions'), /bypass/i);
    await session.turn('Go on');
    equal(file('made'), '');
  }));

program('set_max_thinking_tokens', [text('First.'), text('Second.')], afterATurn({ model: 'claude-haiku-4-5' }, async (query, session) => {
  await query.setMaxThinkingTokens(2048);
  await session.turn('Go on');
  equal(requests()[1].thinking.budget_tokens, 2048);
}));

program('apply_flag_settings', [text('First.'), call('Bash', { command: 'echo done > made' }), text('Second.')], afterATurn({}, async (query, session) => {
  await query.applyFlagSettings({ permissions: { allow: ['Bash(echo *)', 'Bash'] } });
  await session.turn('Go on');
  equal(file('made'), 'done\n');
}));

program('get_context_usage', [text('Finished.')], afterATurn({}, async (query) => {
  const usage = await query.getContextUsage();
  ok(usage.totalTokens > 0 && usage.maxTokens >= 200000);
  ok(usage.categories.length > 0);
  ok(usage.percentage >= 0 && usage.percentage <= 100);
}));

program('get_usage', [text('Finished.', { usage: { input_tokens: 1000, output_tokens: 100 } })], afterATurn({}, async (query, session) => {
  const usage = await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
  equal(usage.session.total_cost_usd, session.result.total_cost_usd);
}));

program('read_file', [text('Finished.')], afterATurn({}, async (query) => {
  writeFileSync('notes.txt', 'one\ntwo\n');
  equal((await query.readFile('notes.txt')).contents, 'one\ntwo\n');
  equal(await query.readFile('missing.txt').catch(() => null), null);
}));

program('reload skills', [text('Finished.')], afterATurn({}, async (query) => {
  ok(Array.isArray((await query.reloadSkills()).skills));
}));

program('requests it cannot serve', [text('First.'), text('Second.')], afterATurn({}, async (query, session) => {
  await rejects(query.rewindFiles('00000000-0000-4000-8000-000000000000'));
  await rejects(query.reconnectMcpServer('missing'), /not found/i);
  await rejects(query.toggleMcpServer('missing', false), /not found/i);
  equal((await session.turn('Go on')).result, 'Second.');
}));

program('messages in a row', [text('First.'), text('Second.')], async () => {
  const session = new Session({});
  for (const words of ['One', 'Two', 'Three']) session.say(words);
  await session.end();
  const sent = JSON.stringify(requests());
  ok(['One', 'Two', 'Three'].every((words) => sent.includes(words)));
  ok(session.of('result').length >= 1);
});

program('a client that aborts', [sleep], async () => {
  const abortController = new AbortController();
  const session = new Session({ ...bypass, abortController });
  session.say('Go');
  const reading = session.until((message) => message.type === 'result');
  await started();
  abortController.abort();
  await rejects(reading);
});

program('a client that closes', [sleep], async () => {
  const session = new Session({ ...bypass });
  session.say('Go');
  const reading = session.until((message) => message.type === 'result');
  await started();
  session.query.close();
  await rejects(reading);
});

program('a client that leaves the loop', [sleep], async () => {
  const session = new Session({ ...bypass });
  session.say('Go');
  await session.until((message) => message.type === 'assistant');
  await started();
  await session.query.return();
});

program('stop a task', [call('Bash', { command: 'sleep 71234', run_in_background: true, description: 'waits' }), text('Started.'), text('It was stopped.')], async () => {
  const session = new Session(bypass);
  session.say('Go');
  const task = await session.until((message) => message.type === 'system' && message.subtype === 'task_started');
  await session.until((message) => message.type === 'result');
  await session.query.stopTask(task.task_id);
  await session.end();
  ok(session.of('system', 'task_notification').concat(session.of('system', 'task_updated')).length > 0);
});

program('the effort', [text('Finished.')], async () => {
  await ask('Go', { model: 'opus', effort: 'low' });
  equal(requests()[0].output_config.effort, 'low');
});
