// Who looks while a run ends finds it, by its mark of being open or by the index of what has ended.

import { existsSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { verifies } from '../verifies.ts';
import { newDemo, START } from './support.ts';

test('a run is known as ended before its mark of being open goes', async () => {
  verifies('BOARD-1');
  const project = newDemo();
  const agent = await connect(project.root);
  for (let count = 0; count < 5; count++) {
    const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
    const mark = project.path(`.deepwork/tmp/open/${id}`);
    expect(existsSync(mark)).toBe(true);
    const ending = agent.ok('abort_workflow', { explanation: 'enough' });
    while (existsSync(mark)) await setImmediate();
    expect(readFileSync(project.path('.deepwork/tmp/ended.log'), 'utf8')).toContain(id);
    await ending;
  }
});
