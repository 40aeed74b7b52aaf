// Outputs given as a bare list of paths: accepted if it is certain which output each path is meant
// for, otherwise refused with the declared names.

import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const FILES = ['a.md', 'b.md', 'report.md', 'sub/report.md', 'docs/one.md', 'docs/deep/two.md'];

/** A workflow for each set of outputs, named w0, w1, … on one server. */
async function serving(
  sets: readonly Record<string, unknown>[],
): Promise<{ project: Project; server: Connection; start(index: number): Promise<void> }> {
  const project = newProject(Object.fromEntries(FILES.map((file) => [file, file])));
  writeJob(
    project,
    'demo',
    Object.fromEntries(sets.map((outputs, index) => [`s${index}`, { outputs }])),
    Object.fromEntries(sets.map((_, index) => [`w${index}`, [`s${index}`]])),
  );
  const server = await connect(project.root);
  return {
    project,
    server,
    async start(index) {
      await server.ok('start_workflow', {
        goal: 'g',
        job_name: 'demo',
        workflow_name: `w${index}`,
      });
    },
  };
}

describe('finished_step: outputs as a list', () => {
  test('is mapped if there is only one way', async () => {
    verifies('JOBS-X.7');
    const cases: [Record<string, unknown>, string[], Record<string, unknown>][] = [
      [{ anything: 'file' }, ['a.md'], { anything: 'a.md' }],
      [{ anything: 'files' }, ['a.md', 'b.md'], { anything: ['a.md', 'b.md'] }],
      [{ anything: 'files?' }, [], {}],
      [{}, [], {}],
      [
        { 'report.md': 'file', 'b.md': 'file?' },
        ['b.md', 'sub/report.md'],
        { 'report.md': 'sub/report.md', 'b.md': 'b.md' },
      ],
      [
        { 'sub/report.md': 'file', 'docs/': 'files' },
        ['docs/one.md', 'sub/report.md', 'docs/deep/two.md'],
        { 'sub/report.md': 'sub/report.md', 'docs/': ['docs/one.md', 'docs/deep/two.md'] },
      ],
    ];
    const { server, start } = await serving(cases.map(([outputs]) => outputs));
    for (const [index, [, given, expected]] of cases.entries()) {
      await start(index);
      const answer = await server.ok('finished_step', { outputs: given });
      expect(answer.status).toBe('workflow_complete');
      expect(answer.all_outputs).toEqual(expected);
    }
  });

  test('is refused with the declared names if it is ambiguous', async () => {
    verifies('JOBS-X.7');
    const cases: [Record<string, unknown>, unknown[], string][] = [
      [{ second: 'file', first: 'file?' }, ['a.md'], 'first, second'],
      [{ 'report.md': 'file', more: 'files?' }, ['report.md', 'a.md'], 'more, report.md'],
      // Two paths for one file.
      [{ 'report.md': 'file', more: 'files?' }, ['report.md', 'sub/report.md'], 'more, report.md'],
      // One path for two outputs.
      [
        { 'report.md': 'file', 'sub/report.md': 'file' },
        ['sub/report.md'],
        'report.md, sub/report.md',
      ],
      [{ 'report.md': 'file', more: 'files?' }, [4], 'more, report.md'],
      [{ 'report.md': 'file', more: 'files?' }, [['report.md']], 'more, report.md'],
    ];
    const { project, server, start } = await serving(cases.map(([outputs]) => outputs));
    for (const [index, [, given, declared]] of cases.entries()) {
      await start(index);
      const before = keptState(project);
      const next = expectRefusal(
        await server.call('finished_step', { outputs: given }),
        `Outputs given as a list cannot be matched. Declared outputs: ${declared}`,
      );
      expect(next).toContain('finished_step');
      expect(keptState(project)).toEqual(before);
    }
  });

  test('is refused if nothing is declared', async () => {
    verifies('JOBS-X.7');
    const { server, start } = await serving([{}]);
    await start(0);
    expectRefusal(
      await server.call('finished_step', { outputs: ['a.md'] }),
      /^Outputs given as a list cannot be matched\. Declared outputs: /,
    );
  });

  test('is checked by the same rules as a map', async () => {
    verifies('JOBS-X.7', 'JOBS-REQ-001.5.7', 'JOBS-REQ-001.5.8');
    const { server, start } = await serving([
      { pages: 'files' },
      { 'report.md': 'file', 'b.md': 'file' },
    ]);
    await start(0);
    const call = async (outputs: unknown[]) => server.call('finished_step', { outputs });
    expectRefusal(await call(['a.md', 3]), "Output 'pages': all paths must be strings, got int");
    expectRefusal(await call(['a.md', 'x.md']), "Output 'pages': file not found at 'x.md'");
    await start(1);
    expectRefusal(
      await call(['report.md']),
      'Missing required outputs: b.md. All required outputs must be provided.',
    );
    expectRefusal(
      await call(['lost/report.md', 'b.md']),
      "Output 'report.md': file not found at 'lost/report.md'",
    );
  });
});
