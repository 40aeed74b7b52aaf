import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { newProject } from '../../test/support/project.ts';
import { verifies } from '../../test/verifies.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { findSubmitted } from './submitted-file.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function submitted(files: Readonly<Record<string, string>>): SessionEvent {
  return {
    type: 'judged',
    at: '2026-01-01T00:00:00.000Z',
    data: {
      arrival: 1,
      accepted: [{ step_id: 'a', outputs: {}, files }],
      sent: { outputs: {}, notes: null },
      position: null,
    },
  };
}

test('a file that is too large to show is not taken for a changed one', async () => {
  verifies('BOARD-4');
  const text = 'x'.repeat(1024 * 1024 + 1);
  const project = newProject({ 'large.txt': text });
  const events = [submitted({ 'large.txt': sha256(text) })];
  expect(await findSubmitted(project.root, events, sha256(text))).toEqual({
    kind: 'not_text',
    path: 'large.txt',
  });
});

test('a file that is gone is shown as gone', async () => {
  verifies('BOARD-4');
  const events = [submitted({ 'gone.txt': sha256('gone') })];
  expect(await findSubmitted(newProject().root, events, sha256('gone'))).toMatchObject({
    kind: 'changed',
    text: null,
  });
});

test('an older path that still has the content is shown, even if a newer one is too large now', async () => {
  verifies('BOARD-4');
  const project = newProject({ 'a.txt': 'as it was', 'b.txt': 'x'.repeat(1024 * 1024 + 1) });
  const hash = sha256('as it was');
  const events = [submitted({ 'a.txt': hash }), submitted({ 'b.txt': hash })];
  expect(await findSubmitted(project.root, events, hash)).toEqual({
    kind: 'same',
    path: 'a.txt',
    text: 'as it was',
  });
});
