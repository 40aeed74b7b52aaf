// A person agrees to exactly what was shown.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newHome } from '../../../test/support/http.ts';
import { newProject, writeJob } from '../../../test/support/project.ts';
import { openWorkspace } from '../workspace.ts';
import { trustReport } from './trust-report.ts';

test('a script that is edited while the question is open is not agreed to', async () => {
  const home = newHome();
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(path.join(home, '.deepwork'), { recursive: true, force: true });
  });
  const project = newProject({ 'check.sh': 'exit 0\n' });
  const checks = [{ name: 'lint', run: 'sh check.sh' }];
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, checks } },
    { main: ['write'] },
  );
  const workspace = openWorkspace({ projectRoot: project.root, env: {} });
  onTestFinished(() => workspace.stop());

  const shown = await trustReport(workspace);
  project.write('check.sh', 'touch elsewhere\n');
  await shown.grant();
  const { isTrusted, commands } = await trustReport(workspace);
  expect(isTrusted).toBe(false);
  expect(commands[0]?.runs).toEqual([{ path: 'check.sh', change: 'changed' }]);

  project.write('check.sh', 'exit 0\n');
  expect((await trustReport(workspace)).isTrusted).toBe(true);
});
