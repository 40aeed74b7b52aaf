// A view never goes back. Real servers, one of which is held at the critical moment.

import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { readView, viewFile } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const PRELOAD = fileURLToPath(new URL('../support/hold-view.cjs', import.meta.url));
/** Both servers work for one client session, so either may continue it. */
const SAME = { CLAUDE_CODE_SESSION_ID: 'one conversation' };
const finish = (step_id: string) => ({ outputs: {}, step_id });

test.each(['write', 'rename'] as const)(
  'what a process read or committed before does not replace what another has committed since: %s',
  async (at) => {
    verifies('JOBS-X.18', 'JOBS-X.20');
    const project = newProject();
    writeJob(project, 'demo', { a: {}, b: {}, c: {} }, { main: ['a', 'b', 'c'] });
    /** A server that stops when it writes a view for the first time, which this call makes it do. */
    const held = async (name: string, tool: string, args: object = {}) => {
      const hold = project.path(name);
      const own = { DEEPWORK_TEST_HOLD: hold, DEEPWORK_TEST_HOLD_AT: at };
      const env = { ...SAME, NODE_OPTIONS: `--require ${PRELOAD}`, ...own };
      const answer = (await connect(project.root, { env })).ok(tool, { ...args });
      await until(() => existsSync(`${hold}.waiting`));
      return async () => {
        project.write(`${name}.go`, '');
        return answer;
      };
    };
    const quick = await connect(project.root, { env: SAME });
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
    const id = (await quick.ok('start_workflow', start)).begin_step.session_id;
    // The reader has a reason to write: the view does not exist.
    rmSync(project.path(viewFile(id)));
    const read = await held('reading', 'get_workflows');
    await quick.ok('finished_step', finish('a'));
    await read();
    expect(readView(project, id)).toMatchObject({ revision: 2, current_step_id: 'b' });

    const commit = await held('committing', 'finished_step', finish('b'));
    await quick.ok('finished_step', finish('c'));
    expect((await commit()).warnings).toEqual([]);
    expect(readView(project, id)).toMatchObject({ revision: 4, status: 'completed' });
  },
);
