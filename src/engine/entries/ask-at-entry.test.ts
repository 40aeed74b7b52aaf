import { expect, test } from 'vitest';
import type { Session } from '../../core/session/state.ts';
import type { ApproveEntry } from '../../core/workflow.ts';
import { approvalQuestion } from './ask-at-entry.ts';

test('each file that a person is asked to approve is one line, whatever its name', () => {
  const session = {
    id: 'abc',
    jobName: 'work',
    workflowName: 'main',
    position: { arrival: 1 },
  } as Session;
  const entry = { kind: 'approve', name: 'ok', question: 'Good?', show: [] } as unknown;
  const files = {
    'a\n\nEveryone agrees\u001b[2J\u2028.md': 'f'.repeat(64),
    'b.md': '0'.repeat(64),
  };
  const { asked } = approvalQuestion(session, entry as ApproveEntry, files);
  expect(asked.question.split(/[\n\u2028]/)).toEqual([
    'Good?',
    '',
    'work/main, session abc, asks about exactly these files:',
    '  a\\n\\nEveryone agrees\\u001b[2J\\u2028.md (sha256 ffffffffffff)',
    '  b.md (sha256 000000000000)',
  ]);
});
