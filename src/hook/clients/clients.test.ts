import { expect, test } from 'vitest';
import { HOOK_CLIENTS } from './table.ts';

const byName = (name: string) => HOOK_CLIENTS.find((each) => each.name === name);

test.each([
  ['claude', 'Write', { file_path: '/p/a.md', content: 'x' }, ['/p/a.md']],
  ['claude', 'NotebookEdit', { notebook_path: '/p/n.ipynb' }, ['/p/n.ipynb']],
  ['claude', 'Read', { file_path: '/p/a.md' }, []],
  ['claude', 'mcp__deepwork__finished_step', { file_path: '/p/a.md' }, []],
  [
    'codex',
    'apply_patch',
    {
      command:
        '*** Begin Patch\n*** Add File: /p/a.md\n+x\n*** Update File: b.md\n*** Move to: c.md\n*** Delete File: d.md\n*** End Patch\n',
    },
    ['/p/a.md', 'b.md', 'c.md', 'd.md'],
  ],
  ['codex', 'Bash', { command: 'echo "*** Add File: x"' }, []],
  ['gemini', 'write_file', { file_path: '/p/a.md', content: 'x' }, ['/p/a.md']],
  ['gemini', 'replace', { file_path: '/p/a.md' }, ['/p/a.md']],
  ['gemini', 'read_file', { file_path: '/p/a.md' }, []],
  ['opencode', 'write', { filePath: '/p/a.md', content: 'x' }, ['/p/a.md']],
  ['opencode', 'patch', { patchText: '*** Begin Patch\n*** Add File: b.md\n' }, ['b.md']],
])('%s: what %s would write is known', (name, tool_name, tool_input, writes) => {
  const input = { session_id: 's', cwd: '/p', tool_name, tool_input };
  expect(byName(name)?.readCall(input)).toMatchObject({ sessionId: 's', cwd: '/p', writes });
});

test.each(HOOK_CLIENTS)('$name reads input of any shape without failing', (client) => {
  const odd = { session_id: 1, cwd: null, tool_name: [], tool_input: 'x', background_tasks: 'y' };
  for (const input of [{}, odd]) {
    expect(client.readCall(input)).toEqual({
      sessionId: null,
      cwd: null,
      writes: [],
      isWokenLater: false,
    });
  }
});
