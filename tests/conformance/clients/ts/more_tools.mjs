// Notebooks, the to-do list, the web.
import { writeFileSync } from 'node:fs';
import { ask, call, equal, file, match, ok, program, requests, text } from '../program.mjs';

const cell = (id, source) => ({ cell_type: 'code', id, source: [source], metadata: {}, outputs: [], execution_count: 1 });
const notebook = { cells: [cell('a', 'print(42)'), cell('b', 'print(7)')], metadata: {}, nbformat: 4, nbformat_minor: 5 };

program('a cell is edited', [
  call('Read', { file_path: 'sums.ipynb' }),
  call('NotebookEdit', { notebook_path: 'sums.ipynb', cell_id: 'a', new_source: 'print(43)' }),
  call('NotebookEdit', { notebook_path: 'sums.ipynb', cell_id: 'b', new_source: '', edit_mode: 'delete' }),
  text('Finished.'),
], async () => {
  writeFileSync('sums.ipynb', JSON.stringify(notebook));
  const seen = await ask('Go', { permissionMode: 'acceptEdits', tools: ['Read', 'NotebookEdit'] });
  ok(seen.toolResults.every((result) => !result.is_error), seen.outputs.join());
  const { cells } = JSON.parse(file('sums.ipynb'));
  equal(cells.length, 1);
  equal([cells[0].source].flat().join(''), 'print(43)');
});

program('a to-do list', [
  call('TaskCreate', { subject: 'Buy tea', description: 'Green tea' }),
  call('TaskUpdate', { taskId: '1', status: 'completed' }),
  call('TaskList', {}),
  text('Finished.'),
], async () => {
  const seen = await ask('Go', { tools: ['TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'] });
  match(seen.outputs[2], /Buy tea/);
  match(seen.outputs[2], /completed/);
});

const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ type: 'web_search_result', url: 'https://tea.example/', title: 'All about tea', encrypted_content: 'x', page_age: null }] };

program('a search', [
  call('WebSearch', { query: 'tea' }),
  { content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tea' } }, found, { text: 'Tea is hot.' }], match: { tool: 'web_search' } },
  text('Finished.'),
], async () => {
  const seen = await ask('Go', { allowedTools: ['WebSearch'], tools: ['WebSearch'] });
  ok(requests().some((request) => request.tools?.some((tool) => tool.name === 'web_search')));
  match(seen.outputs[0], /tea\.example/);
  equal(seen.result.result, 'Finished.');
});

const fetchIt = [call('WebFetch', { url: 'https://tea.example/', prompt: 'What is it?' }), text('Finished.')];

program('a page that a rule denies', fetchIt, async () => {
  const seen = await ask('Go', { allowedTools: ['WebFetch'], tools: ['WebFetch'], disallowedTools: ['WebFetch(domain:tea.example)'] });
  equal(seen.toolResults[0].is_error, true);
  equal(seen.result.permission_denials[0].tool_name, 'WebFetch');
});

program('a page that the client is asked about', fetchIt, async () => {
  const asked = [];
  const seen = await ask('Go', { tools: ['WebFetch'], canUseTool: async (name, input) => (asked.push(input.url), { behavior: 'deny', message: 'Stay here.' }) });
  equal(asked[0], 'https://tea.example/');
  match(seen.outputs[0], /Stay here\./);
});

program('a page without a network', fetchIt, async () => {
  const seen = await ask('Go', { allowedTools: ['WebFetch'], tools: ['WebFetch'] });
  equal(seen.toolResults[0].is_error, true);
  equal(seen.result.result, 'Finished.');
});
