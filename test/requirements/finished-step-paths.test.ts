// Where the path of an output may lead: to a regular file inside the project, checked by its real
// target, stored relative to the project. Everything else is refused with its reason, and no input
// makes the server slow or large.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** A project whose workflow takes one file, then several. */
async function running(): Promise<{ project: Project; server: Connection; id: string }> {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B', 'sub/c.md': 'C' });
  writeJob(
    project,
    'demo',
    { one: { outputs: { report: 'file' } }, many: { outputs: { pages: 'files' } } },
    { main: ['one', 'many'] },
  );
  const server = await connect(project.root);
  const { begin_step } = await server.ok('start_workflow', START);
  return { project, server, id: begin_step.session_id };
}

/** A directory beside the project, with a file in it. */
function newOutside(): string {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'secret.md'), 'Not yours');
  return folder;
}

describe('finished_step: paths', () => {
  test('anything but a regular file inside the project is refused', async () => {
    verifies('JOBS-X.8', 'JOBS-REQ-001.5.5', 'JOBS-REQ-001.5.8');
    const { project, server } = await running();
    const outside = newOutside();
    mkdirSync(project.path('folder'));
    execFileSync('mkfifo', [project.path('pipe')]);
    symlinkSync(path.join(outside, 'secret.md'), project.path('link-out.md'));
    symlinkSync(outside, project.path('folder-out'));
    symlinkSync('nowhere.md', project.path('dangling.md'));
    symlinkSync('loop.md', project.path('loop.md'));
    const upwards = path.relative(project.root, path.join(outside, 'secret.md'));

    const cases: [string, string][] = [
      ['', 'path is empty'],
      [' \t\n', 'path is empty'],
      ['folder', "'folder' is not a regular file"],
      ['.', "'.' is not a regular file"],
      ['pipe', "'pipe' is not a regular file"],
      ['/dev/null', "'/dev/null' is outside the project root"],
      ['link-out.md', "'link-out.md' is outside the project root"],
      ['folder-out/secret.md', "'folder-out/secret.md' is outside the project root"],
      [path.join(outside, 'secret.md'), `'${outside}/secret.md' is outside the project root`],
      [upwards, `'${upwards}' is outside the project root`],
      ['dangling.md', "file not found at 'dangling.md'"],
      ['loop.md', "file not found at 'loop.md'"],
      ['a.md/b.md', "file not found at 'a.md/b.md'"],
      ['~/a.md', "file not found at '~/a.md'"],
      ['*.md', "file not found at '*.md'"],
    ];
    const before = keptState(project);
    for (const [given, problem] of cases) {
      const answer = await server.call('finished_step', { outputs: { report: given } });
      expectRefusal(answer, `Output 'report': ${problem}`);
    }
    expect(keptState(project)).toEqual(before);

    await server.ok('finished_step', { outputs: { report: 'a.md' } });
    const standing = keptState(project);
    for (const [given, problem] of cases) {
      const answer = await server.call('finished_step', { outputs: { pages: ['b.md', given] } });
      expectRefusal(answer, `Output 'pages': ${problem}`);
    }
    expect(keptState(project)).toEqual(standing);
  });

  test('a path in another project is refused with both paths', async () => {
    const { project, server } = await running();
    const other = newOutside();
    for (const given of [path.join(other, 'secret.md'), 'only-over-there.md']) {
      const { text } = await server.call('finished_step', { outputs: { report: given } });
      expect(text).toContain(`'${given}'`);
      expect(text).toMatch(new RegExp(`relative to this server's project, ${project.root}$`));
    }
  });

  test('every way of writing a path inside is stored as the one relative path', async () => {
    verifies('JOBS-X.8');
    const { project, server, id } = await running();
    await server.ok('finished_step', { outputs: { report: project.path('sub/c.md') } });
    const name = path.basename(project.root);
    const pages = [
      'b.md',
      './b.md',
      'sub/../b.md',
      `../${name}/b.md`,
      project.path('b.md'),
      'a.md',
      'b.md',
    ];
    const answer = await server.ok('finished_step', { outputs: { pages } });
    expect(answer.all_outputs).toEqual({ report: 'sub/c.md', pages: ['b.md', 'a.md'] });
    const { step_progress } = readView(project, id);
    expect(step_progress.one.outputs).toEqual({ report: 'sub/c.md' });
    expect(step_progress.many.outputs).toEqual({ pages: ['b.md', 'a.md'] });
  });

  test('a link that stays inside is a file like any other', async () => {
    verifies('JOBS-X.8');
    const { project, server } = await running();
    symlinkSync('a.md', project.path('link.md'));
    symlinkSync('sub', project.path('linked'));
    expect(
      (await server.ok('finished_step', { outputs: { report: 'link.md' } })).begin_step.step_id,
    ).toBe('many');
    const answer = await server.ok('finished_step', { outputs: { pages: ['linked/c.md'] } });
    expect(answer.status).toBe('workflow_complete');
  });

  test('a project that is reached through a link works the same', async () => {
    verifies('JOBS-X.8');
    const project = newProject({ 'a.md': 'A' });
    writeJob(project, 'demo', { one: { outputs: { report: 'file' } } }, { main: ['one'] });
    const link = path.join(newOutside(), 'project');
    symlinkSync(project.root, link);
    const server = await connect(link);
    for (const report of ['a.md', path.join(link, 'a.md'), project.path('a.md')]) {
      await server.ok('start_workflow', START);
      const answer = await server.ok('finished_step', { outputs: { report } });
      expect(answer.all_outputs).toEqual({ report: 'a.md' });
    }
  });

  test('unusual file names are accepted', async () => {
    verifies('JOBS-X.8');
    const { project, server } = await running();
    const names = ['it\'s a "file".md', 'über/ñandú 日本.md', '..dots', '-rf', 'sp ace '];
    for (const name of names) project.write(name, 'x');
    await server.ok('finished_step', { outputs: { report: names[0] } });
    const answer = await server.ok('finished_step', { outputs: { pages: names } });
    expect(answer.all_outputs).toEqual({ report: names[0], pages: names });
  });

  test('up to 1000 paths are accepted, 10000 are not', async () => {
    verifies('JOBS-X.8');
    const { project, server } = await running();
    await server.ok('finished_step', { outputs: { report: 'a.md' } });
    const many = (count: number) => Array.from({ length: count }, (_, index) => `many/${index}.md`);
    const before = keptState(project);
    for (const count of [10_000, 1001]) {
      expectRefusal(
        await server.call('finished_step', { outputs: { pages: many(count) } }),
        "Output 'pages': more than 1000 paths",
      );
    }
    // A thousand problems are still one message of limited size.
    const lost = await server.call('finished_step', { outputs: { pages: many(1000) } });
    expectRefusal(lost, /^Output 'pages': file not found at 'many\/0\.md'\n/);
    expect(Buffer.byteLength(lost.data.error.message)).toBeLessThanOrEqual(4096);
    expect(keptState(project)).toEqual(before);

    for (const file of many(1000)) project.write(file, 'x');
    const answer = await server.ok('finished_step', { outputs: { pages: many(1000) } });
    expect(answer.all_outputs.pages).toEqual(many(1000));
  });

  test('a path that no file system accepts is refused', async () => {
    verifies('JOBS-X.8');
    const { project, server } = await running();
    const before = keptState(project);
    const paths = ['a.md\0', '\0', 'x'.repeat(1_000_000), 'd/'.repeat(500_000), '../'.repeat(9999)];
    for (const report of paths) {
      const answer = await server.call('finished_step', { outputs: { report } });
      expectRefusal(
        answer,
        /^Output 'report': (file not found at '|'.*(outside the project root|control characters)|'\.)/,
      );
      expect(Buffer.byteLength(answer.data.error.message)).toBeLessThanOrEqual(4096);
    }
    expect(keptState(project)).toEqual(before);
  });
});
