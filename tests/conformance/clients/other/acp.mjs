// An editor that uses the adapter for the Agent Client Protocol.
import { fileURLToPath } from 'node:url';
import { Editor } from '../editor.mjs';
import { becomes, call, deepEqual, equal, file, match, ok, program, requests, text } from '../program.mjs';

const adapter = fileURLToPath(import.meta.resolve('@agentclientprotocol/claude-agent-acp'))
  .replace(/dist\/.*/, 'dist/index.js');

const edit = (answer) => new Editor(process.execPath, [adapter], { CLAUDE_CODE_EXECUTABLE: process.env.CLAUDE }, answer);

program('a prompt', [text('Hello, editor.')], async () => {
  const editor = edit();
  const id = await editor.open();
  equal((await editor.prompt(id, 'Hello')).stopReason, 'end_turn');
  match(editor.said(), /Hello, editor\./);
  ok(editor.session.modes.availableModes.length > 1);
  await editor.close();
});

const steps = [call('Write', { file_path: 'made', content: 'done' }), text('Finished.')];

program('a permission', steps, async () => {
  const editor = edit('allow_once');
  equal((await editor.prompt(await editor.open(), 'Go')).stopReason, 'end_turn');
  equal(editor.asked.length, 1);
  equal(file('made'), 'done');
  deepEqual(editor.updates.filter((update) => update.sessionUpdate === 'tool_call_update').at(-1).status, 'completed');
  await editor.close();
});

program('a permission refused', steps, async () => {
  const editor = edit('reject_once');
  await editor.prompt(await editor.open(), 'Go');
  equal(editor.asked.length, 1);
  equal(file('made'), '');
  await editor.close();
});

program('cancel', [{ text: 'Hel', trouble: { at: 'in_block', do: 'silence' } }, text('Second.')], async () => {
  const editor = edit();
  const id = await editor.open();
  const answer = editor.prompt(id, 'Go');
  await becomes(() => requests().length === 1, 'the model is asked');
  editor.notify('session/cancel', { sessionId: id });
  equal((await answer).stopReason, 'cancelled');
  equal((await editor.prompt(id, 'Go on')).stopReason, 'end_turn');
  match(editor.said(), /Second\./);
  await editor.close();
});
