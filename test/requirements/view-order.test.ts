// A view never goes back: if a process is slow, what it read or committed earlier does not replace
// what another has committed since. Real servers, one of which is held at the critical moment.

import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView, viewFile } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const PRELOAD = fileURLToPath(new URL('../support/hold-view.cjs', import.meta.url));
/** Both servers work for one client session, so either may continue it. */
const SAME = { CLAUDE_CODE_SESSION_ID: 'one conversation' };

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {}, c: {}, d: {} }, { main: ['a', 'b', 'c', 'd'] });
  return project;
}

async function start(server: Connection): Promise<string> {
  const args = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
  return (await server.ok('start_workflow', args)).begin_step.session_id;
}

/** A server that stops when it writes a view for the first time. */
async function slowServer(project: Project, at: 'write' | 'rename') {
  const hold = project.path('hold');
  const env = {
    ...SAME,
    NODE_OPTIONS: `--require ${PRELOAD}`,
    DEEPWORK_TEST_HOLD: hold,
    DEEPWORK_TEST_HOLD_AT: at,
  };
  const server = await connect(project.root, { env });
  return {
    server,
    isHeld: () => until(() => existsSync(`${hold}.waiting`)),
    release: () => project.write('hold.go', ''),
  };
}

describe('a view never goes back', () => {
  test.each(['write', 'rename'] as const)(
    'when a process that read the session before is slow to %s it',
    async (at) => {
      verifies('JOBS-X.18', 'JOBS-X.20');
      const project = newDemo();
      const quick = await connect(project.root, { env: SAME });
      const id = await start(quick);
      // It has a reason to write: the view does not exist.
      rmSync(project.path(viewFile(id)));
      const slow = await slowServer(project, at);
      const reading = slow.server.ok('get_workflows');
      await slow.isHeld();
      await quick.ok('finished_step', { outputs: {} });
      await quick.ok('finished_step', { outputs: {} });
      expect(readView(project, id)).toMatchObject({ revision: 3, current_step_id: 'c' });
      slow.release();
      await reading;
      expect(readView(project, id)).toMatchObject({ revision: 3, current_step_id: 'c' });
    },
  );

  test.each(['write', 'rename'] as const)(
    'when a process that committed before is slow to %s it',
    async (at) => {
      verifies('JOBS-X.18', 'JOBS-X.20');
      const project = newDemo();
      const quick = await connect(project.root, { env: SAME });
      const id = await start(quick);
      const slow = await slowServer(project, at);
      const first = slow.server.ok('finished_step', { outputs: {}, step_id: 'a' });
      await slow.isHeld();
      await quick.ok('finished_step', { outputs: {}, step_id: 'b' });
      expect(readView(project, id)).toMatchObject({ revision: 3, current_step_id: 'c' });
      slow.release();
      expect((await first).warnings).toEqual([]);
      expect(readView(project, id)).toMatchObject({ revision: 3, current_step_id: 'c' });
    },
  );
});
