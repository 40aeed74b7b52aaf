// An outcome counts as delivered only when the answer was written to the client.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import type { CallContext } from '../../engine/call-context.ts';
import { openWorkspace } from '../../engine/workspace.ts';
import { askUserQuestion } from './ask-user-question.ts';

const GO = { question: 'Go?', choices: ['yes', 'no'] };

function newTeam() {
  const root = tempFolder();
  mkdirSync(path.join(root, '.deepwork'));
  writeFileSync(path.join(root, '.deepwork', 'config.yml'), 'team:\n  question_wait_seconds: 1\n');
  const workspace = openWorkspace({ projectRoot: root });
  onTestFinished(() => workspace.stop());
  const ask = async () => {
    const after: ((delivered: boolean) => Promise<void>)[] = [];
    const context: CallContext = {
      workspace,
      owner: { identity: 'test', process: 'test' },
      caller: { name: 'coordinator', model: null, variant: null },
      signal: new AbortController().signal,
      progress: () => {},
      afterAnswer: (work) => void after.push(work),
    };
    const input = askUserQuestion.parse({ questions: [GO] });
    const text = await askUserQuestion.run(context, input);
    return { text, after };
  };
  return { ask, ledger: workspace.team.questions };
}

test('an answer that was not delivered can be fetched again, a delivered one cannot', async () => {
  verifies('TEAM-32');
  const { ask, ledger } = newTeam();
  const waiting = await ask();
  expect(waiting.text).toContain('Still open: q-1.');
  expect(waiting.after).toHaveLength(0);
  await ledger.answer('q-1', { choices: ['yes'], other: null }, 'ada', 'terminal');
  for (const delivered of [false, false, true]) {
    const { text, after } = await ask();
    expect(text).toContain('Human response: Selected: yes (q-1, terminal, ');
    for (const work of after) await work(delivered);
  }
  expect((await ask()).text).toContain('Still open: q-2.');
});
