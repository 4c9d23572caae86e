// can_use_tool: what a client answers decides what happens.
import { ask, call, deepEqual, equal, file, match, ok, program, requests, text } from '../program.mjs';

const steps = [call('Bash', { command: 'echo done > made', description: 'makes a file' }), text('Finished.')];

program('allow', steps, async () => {
  const asked = [];
  const seen = await ask('Go', {
    canUseTool: async (name, input, { suggestions, toolUseID }) => {
      asked.push({ name, command: input.command, suggestions: suggestions.length > 0, id: toolUseID });
      return { behavior: 'allow', updatedInput: input };
    },
  });
  deepEqual(asked, [{ name: 'Bash', command: 'echo done > made', suggestions: true, id: seen.calls[0].id }]);
  equal(file('made'), 'done\n');
  equal(seen.result.result, 'Finished.');
  deepEqual(seen.result.permission_denials, []);
});

program('changed input', steps, async () => {
  await ask('Go', { canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: { ...input, command: 'echo other > made' } }) });
  equal(file('made'), 'other\n');
});

program('deny', steps, async () => {
  const seen = await ask('Go', { canUseTool: async () => ({ behavior: 'deny', message: 'Not on a Friday.' }) });
  equal(file('made'), '');
  match(seen.outputs[0], /Not on a Friday\./);
  equal(seen.toolResults[0].is_error, true);
  equal(seen.result.permission_denials[0].tool_name, 'Bash');
  equal(seen.result.result, 'Finished.');
});

program('deny and interrupt', steps, async () => {
  const seen = await ask('Go', { canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }) });
  equal(seen.result.subtype, 'error_during_execution');
  equal(requests().length, 1);
  equal(file('made'), '');
});

program('a callback that throws', steps, async () => {
  const seen = await ask('Go', { canUseTool: async () => { throw new Error('broken client'); } });
  equal(file('made'), '');
  match(seen.outputs[0], /Tool permission request failed: Error: .*broken client/);
  equal(seen.result.result, 'Finished.');
});

program('rules for the session', [call('Bash', { command: 'echo 1 >> made' }), call('Bash', { command: 'echo 2 >> made' }), text('Finished.')], async () => {
  let asked = 0;
  await ask('Go', {
    canUseTool: async (_, input) => {
      ++asked;
      const rules = [{ toolName: 'Bash', ruleContent: 'echo *' }, { toolName: 'Bash' }];
      return { behavior: 'allow', updatedInput: input, updatedPermissions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }] };
    },
  });
  equal(asked, 1);
  equal(file('made'), '1\n2\n');
});

program('switch the mode', [call('Write', { file_path: 'one', content: '1' }), call('Write', { file_path: 'two', content: '2' }), text('Finished.')], async () => {
  let asked = 0;
  await ask('Go', {
    canUseTool: async (_, input, { suggestions }) => (++asked, { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions }),
  });
  equal(asked, 1);
  equal(file('one') + file('two'), '12');
});

program('a late answer', steps, async () => {
  await ask('Go', {
    canUseTool: async (_, input) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return { behavior: 'allow', updatedInput: input };
    },
  });
  equal(file('made'), 'done\n');
});

program('a rule that denies is not asked about', steps, async () => {
  const seen = await ask('Go', { disallowedTools: ['Bash(echo *)'], canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }) });
  equal(file('made'), '');
  equal(seen.toolResults[0].is_error, true);
});

program('nobody to ask', steps, async () => {
  const seen = await ask('Go');
  equal(file('made'), '');
  equal(seen.result.permission_denials.length, 1);
  ok(!seen.result.is_error);
});

program('allowed tools', steps, async () => {
  const seen = await ask('Go', { allowedTools: ['Bash'] });
  equal(file('made'), 'done\n');
  deepEqual(seen.result.permission_denials, []);
});

program('bypass', steps, async () => {
  const seen = await ask('Go', { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true });
  equal(seen.init.permissionMode, 'bypassPermissions');
  equal(file('made'), 'done\n');
});

const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'warm' }, { label: 'Blue', description: 'cold' }] }];

program('a question of the model', [call('AskUserQuestion', { questions }), text('Blue it is.')], async () => {
  const seen = await ask('Go', {
    canUseTool: async (name, input) => {
      equal(name, 'AskUserQuestion');
      return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } } };
    },
  });
  match(seen.outputs[0], /Which colour\?.*Blue/);
  equal(seen.result.result, 'Blue it is.');
});

program('the end of plan mode', [call('ExitPlanMode', { plan: 'Write the file.' }), call('Write', { file_path: 'made', content: 'planned' }), text('Finished.')], async () => {
  const asked = [];
  await ask('Go', {
    permissionMode: 'plan',
    canUseTool: async (name, input) => {
      asked.push(name);
      const updatedPermissions = name === 'ExitPlanMode' ? [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] : [];
      return { behavior: 'allow', updatedInput: input, updatedPermissions };
    },
  });
  deepEqual(asked, ['ExitPlanMode']);
  equal(file('made'), 'planned');
});
