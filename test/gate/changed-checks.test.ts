// Trust covers a list of checks as it was shown to a person. Whatever changes in it, none of the
// new list runs until a person has agreed again.

import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';
import { trust } from '../support/trust.ts';
import { verifies } from '../verifies.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const OLD = { name: 'marks', run: 'touch old.txt' };
const NEW = { name: 'marks', run: 'touch new.txt' };
const FIRST = { outputs: { report: 'file' }, checks: [OLD] };

const write = (project: Project, steps: Record<string, StepSpec>) =>
  writeJob(project, 'work', steps, { main: ['write', 'after'] });

describe('after a person has agreed', () => {
  test.each<[string, Record<string, StepSpec>]>([
    ['another command under the same name', { write: { ...FIRST, checks: [NEW] }, after: {} }],
    [
      'another check after the trusted one',
      { write: { ...FIRST, checks: [OLD, { ...NEW, name: 'more' }] }, after: {} },
    ],
    [
      'another check before the trusted one',
      { write: { ...FIRST, checks: [{ ...NEW, name: 'more' }, OLD] }, after: {} },
    ],
  ])('%s runs nothing until they agree again', async (_what, steps) => {
    verifies('JOBS-X.25');
    const project = newProject({ 'report.md': 'The report.\n' });
    const HOME = newHome();
    write(project, { write: FIRST, after: {} });
    expect((await trust(project.root, HOME, '--yes')).code).toBe(0);
    const agent = await connect(project.root, { env: { HOME } });
    await agent.ok('start_workflow', START);
    write(project, steps);

    expect(await agent.refused('finished_step', REPORT)).toContain('not what was trusted');
    const override = { ...REPORT, quality_review_override_reason: 'It is urgent' };
    expect(await agent.refused('finished_step', override)).toContain('not what was trusted');
    await agent.ok('validate_step_outputs', REPORT);
    for (const ran of ['old.txt', 'new.txt']) expect(existsSync(project.path(ran))).toBe(false);

    expect((await trust(project.root, HOME, '--yes')).code).toBe(0);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    expect(existsSync(project.path('new.txt'))).toBe(true);
  });

  test('a trusted check that is copied to another step does not run there', async () => {
    verifies('JOBS-X.25');
    const project = newProject({ 'report.md': 'The report.\n' });
    const HOME = newHome();
    write(project, { write: FIRST, after: {} });
    expect((await trust(project.root, HOME, '--yes')).code).toBe(0);
    const agent = await connect(project.root, { env: { HOME } });
    await agent.ok('start_workflow', START);
    write(project, { write: FIRST, after: { checks: [NEW] } });
    await agent.ok('finished_step', REPORT);
    expect(existsSync(project.path('old.txt'))).toBe(true);
    expect(await agent.refused('finished_step', { outputs: {} })).toContain('not what was trusted');
    expect(existsSync(project.path('new.txt'))).toBe(false);
  });
});

test.each(['no-quality-gate', 'quality-gate=true'])(
  'without agreement, --%s runs no check either',
  async (flag) => {
    verifies('JOBS-X.25');
    const project = newProject({ 'report.md': 'The report.\n' });
    write(project, { write: FIRST, after: {} });
    const agent = await connect(project.root, { args: [`--${flag}`], env: { HOME: newHome() } });
    await agent.ok('start_workflow', START);
    for (const more of [{}, { quality_review_override_reason: 'It is urgent' }]) {
      const refusal = await agent.refused('finished_step', { ...REPORT, ...more });
      expect(refusal).toContain('has checks that run commands');
    }
    expect(existsSync(project.path('old.txt'))).toBe(false);
  },
);
