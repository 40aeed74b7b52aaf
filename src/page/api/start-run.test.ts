import { expect, test } from 'vitest';
import type { Workspace } from '../../engine/workspace.ts';
import { startFromPage } from './start-run.ts';

async function start(body: object, isGiven = true) {
  const calls: (readonly string[])[] = [];
  const workspace = {
    config: async () => ({ run: { isGiven } }),
    containment: { require() {} },
    paths: { tmp: '/project/.deepwork/tmp' },
    prepare() {},
  } as unknown as Workspace;
  const startRun = async (args: readonly string[]) => {
    calls.push(args);
    return { id: '0a1b2c3d' };
  };
  const { status } = await startFromPage(workspace, startRun, JSON.stringify(body));
  return { status, calls };
}

test.each([
  ['an option in the place of the workflow', { workflow: '--command=evil', goal: 'g' }],
  ['a blank in front of it', { workflow: ' --command=evil', goal: 'g' }],
  ['no goal', { workflow: 'demo/main', goal: ' ' }],
  ['inputs that are a list', { workflow: 'demo/main', goal: 'g', inputs: ['--command=evil'] }],
])('a run is not started with %s', async (_what, body) => {
  expect(await start(body)).toEqual({ status: 400, calls: [] });
});

test('what looks like an option is the goal, or an input, of the run', async () => {
  const body = { workflow: 'demo/main', goal: '--command=evil', inputs: { '--command': 'evil' } };
  const { calls } = await start(body);
  expect(calls).toEqual([['demo/main', '--goal=--command=evil', '--inputs=--command=evil']]);
});

test('no run is started where the project does not configure it', async () => {
  expect(await start({ workflow: 'demo/main', goal: 'g' }, false)).toEqual({
    status: 404,
    calls: [],
  });
});
