// What finished_step requires of its outputs: their names, their types, and that each path leads to
// a regular file inside the project. All of it is checked before anything changes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { readView } from '../support/saved.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** A session at the only step of a workflow, which declares these outputs. */
async function running(outputs: Record<string, unknown>) {
  const files = ['a.md', 'b.md', 'sub/c.md', 'docs/one.md', 'docs/deep/two.md', 'sub/report.md'];
  const project = newProject(Object.fromEntries(files.map((file) => [file, file])));
  writeJob(project, 'demo', { only: { outputs } }, { main: ['only'] });
  const server = await connect(project.root);
  await server.ok('start_workflow', START);
  return {
    project,
    server,
    /** Must be refused with this code, changes nothing, and names these in its message. */
    async refuses(given: unknown, code: string, ...named: string[]) {
      const call = { outputs: given };
      const seen = await refusedUnchanged(project, server, 'finished_step', call);
      expect({ code: seen.code, given }).toEqual({ code, given });
      for (const part of named) expect(seen.message).toContain(part);
      expect(Buffer.byteLength(seen.message)).toBeLessThanOrEqual(4096);
      return seen;
    },
    /** Completes the workflow; its outputs. */
    async accepts(given: unknown) {
      const { all_outputs, begin_step } = await server.ok('finished_step', { outputs: given });
      expect(begin_step).toBeNull();
      return all_outputs;
    },
  };
}

describe('names of outputs', () => {
  test('unknown names are listed with the declared ones, and beat missing ones', async () => {
    verifies('JOBS-REQ-001.5.1', 'JOBS-REQ-001.4.6');
    const { refuses } = await running({ report: 'file', appendix: 'files?' });
    const declared = 'appendix, report';
    const seen = await refuses(
      { zebra: 'a', apple: 'b' },
      'outputs_unknown',
      'apple, zebra',
      declared,
    );
    expect(seen.next).toMatch(/report.*required.*appendix.*optional/);
    for (const [given, unknown] of [
      [{ report: 'nowhere.md', Report: 'a.md' }, 'Report'],
      // Names are own keys: inherited properties are no declared outputs.
      [{ report: 'a.md', constructor: 'a.md', toString: 'a.md' }, 'constructor, toString'],
      [JSON.parse('{"report": "a.md", "__proto__": "a.md"}'), '__proto__'],
      // Null means a missing value; the name must still be valid.
      [{ report: 'a.md', zebra: null }, 'zebra'],
    ]) {
      await refuses(given, 'outputs_unknown', unknown, declared);
    }
  });

  test('a message that is too long is cut between two characters', async () => {
    verifies('JOBS-X.8');
    const { refuses } = await running({});
    // Three bytes each: of three beginnings at most one meets the cut.
    for (const beginning of ['', 'x', 'xx']) {
      const names = Array.from({ length: 200 }, (_, at) => `${beginning}${'€'.repeat(20)}${at}`);
      const given = Object.fromEntries(names.map((name) => [name, 'a.md']));
      const { message } = await refuses(given, 'outputs_unknown', '(cut)');
      expect(message).not.toContain('\ufffd');
    }
  });

  test('missing required outputs are listed before any value is checked', async () => {
    verifies('JOBS-REQ-001.5.2');
    const { refuses } = await running({ zeta: 'file', alpha: 'files', rest: 'file?' });
    await refuses({}, 'outputs_missing', 'alpha, zeta');
    await refuses([], 'outputs_missing', 'alpha, zeta');
    await refuses({ zeta: 'a.md' }, 'outputs_missing', 'alpha');
    await refuses({ alpha: 'not even a list', rest: 5 }, 'outputs_missing', 'zeta');
    await refuses({ alpha: null, zeta: 'a.md' }, 'outputs_missing', 'alpha');
  });

  test('optional outputs may be left out, be null, or be an empty list', async () => {
    verifies('JOBS-REQ-001.5.3', 'JOBS-REQ-001.5.6');
    const { accepts } = await running({ main: 'file', more: 'file?', all: 'files?', no: 'files?' });
    expect(await accepts({ main: 'a.md', more: null, all: [] })).toEqual({ main: 'a.md', all: [] });
  });

  test('a step that declares none accepts {} alone', async () => {
    verifies('JOBS-REQ-001.5.1');
    const { refuses, accepts } = await running({});
    await refuses({ report: 'a.md' }, 'outputs_unknown', 'report');
    await refuses(['a.md'], 'outputs_unmatched');
    expect(await accepts({})).toEqual({});
  });
});

test('a bare list of paths is mapped if there is only one way, and otherwise refused', async () => {
  verifies('JOBS-X.7', 'JOBS-REQ-001.5.7', 'JOBS-REQ-001.5.8');
  const { refuses, accepts } = await running({ 'report.md': 'file', 'docs/': 'files' });
  const declared = 'docs/, report.md';
  await refuses(['report.md', 'a.md'], 'outputs_unmatched', declared);
  await refuses(['report.md', 'sub/report.md'], 'outputs_unmatched', declared);
  await refuses([4], 'outputs_unmatched', declared);
  await refuses(['lost/report.md', 'docs/one.md'], 'outputs_invalid', 'lost/report.md');
  const given = ['docs/one.md', 'sub/report.md', 'docs/deep/two.md'];
  const mapped = { 'report.md': given[1], 'docs/': [given[0], given[2]] };
  expect(await accepts(given)).toEqual(mapped);
  const single = await running({ anything: 'files' });
  await single.refuses(['a.md', 3], 'outputs_invalid', 'int');
  expect(await single.accepts(['a.md', 'b.md'])).toEqual({ anything: ['a.md', 'b.md'] });
});

describe('types of outputs', () => {
  test("a 'file' is one path, 'files' a list of paths; anything else is named by its type", async () => {
    verifies('JOBS-REQ-001.5.4', 'JOBS-REQ-001.5.6', 'JOBS-REQ-001.5.7', 'JOBS-X.8');
    const types: [string, unknown][] = [
      ['list', ['a.md']],
      ['str', 'a.md'],
      ['int', 7],
      ['float', 1.5],
      ['bool', true],
      ['dict', { path: 'a.md' }],
    ];
    const { refuses } = await running({ one: 'file?', all: 'files?' });
    for (const [type, value] of types) {
      if (type !== 'str') {
        await refuses({ one: value }, 'outputs_invalid', "'one'", "'file'", `got ${type}`);
        await refuses({ all: ['a.md', value] }, 'outputs_invalid', "'all'", `got ${type}`);
      }
      if (type !== 'list') {
        await refuses({ all: value }, 'outputs_invalid', "'all'", "'files'", `got ${type}`);
      }
    }
    await refuses({ all: [null] }, 'outputs_invalid', "'all'", 'got null');
    const required = await running({ pages: 'files' });
    await required.refuses({ pages: [] }, 'outputs_invalid', "'pages'");
  });

  test('all problems are reported at once, in the order of declaration', async () => {
    verifies('JOBS-REQ-001.4.6', 'JOBS-REQ-001.5.4', 'JOBS-REQ-001.5.8');
    const { refuses } = await running({ zeta: 'file', mid: 'files', alpha: 'file?' });
    const given = { alpha: 3, mid: ['gone.md', 'a.md', 'lost.md'], zeta: ['a.md'] };
    const { message } = await refuses(given, 'outputs_invalid');
    const named = message
      .split('\n')
      .map((line) => /'(\w+)'.*?('[\w.]+'|\w+)$/.exec(line)?.slice(1));
    expect(named).toEqual([
      ['zeta', 'list'],
      ['mid', "'gone.md'"],
      ['mid', "'lost.md'"],
      ['alpha', 'int'],
    ]);
  });
});

describe('paths of outputs', () => {
  test('anything but a regular file inside the project is refused with its reason', async () => {
    verifies('JOBS-X.8', 'JOBS-REQ-001.5.5', 'JOBS-REQ-001.5.8');
    const { project, refuses } = await running({ report: 'file?', pages: 'files?' });
    const outside = tempFolder();
    writeFileSync(path.join(outside, 'secret.md'), 'Not yours');
    mkdirSync(project.path('folder'));
    execFileSync('mkfifo', [project.path('pipe')]);
    symlinkSync(path.join(outside, 'secret.md'), project.path('link-out.md'));
    symlinkSync(outside, project.path('folder-out'));
    symlinkSync('nowhere.md', project.path('dangling.md'));
    symlinkSync('loop.md', project.path('loop.md'));
    const secret = path.join(outside, 'secret.md');
    const cases: Record<string, readonly string[]> = {
      empty: ['', ' \t\n'],
      'not a regular file': ['folder', '.', 'pipe'],
      'outside the project root': [
        '/dev/null',
        'link-out.md',
        'folder-out/secret.md',
        secret,
      ].concat(path.relative(project.root, secret)),
      'file not found': ['dangling.md', 'loop.md', 'a.md/b.md', '~/a.md', '*.md', 'gone.md'],
    };
    for (const [reason, paths] of Object.entries(cases)) {
      for (const given of paths) {
        const named = given.trim() === '' ? [] : [`'${given}'`];
        await refuses({ report: given }, 'outputs_invalid', "'report'", reason, ...named);
        await refuses({ pages: ['b.md', given] }, 'outputs_invalid', "'pages'", reason, ...named);
      }
    }
    // Where a file was meant that another project has, or has not yet.
    for (const given of [secret, 'only-over-there.md']) {
      expect((await refuses({ report: given }, 'outputs_invalid')).next).toContain(project.root);
    }
    const unusable = ['a.md\0', 'x'.repeat(1_000_000), 'd/'.repeat(500_000), '../'.repeat(9999)];
    for (const given of unusable) await refuses({ report: given }, 'outputs_invalid');
  });

  test('every way of writing a path inside is stored as the one relative path', async () => {
    verifies('JOBS-X.8');
    const { project, server, accepts } = await running({ report: 'file', pages: 'files' });
    const { session_id } = await server.ok('get_active_workflow');
    symlinkSync('a.md', project.path('link.md'));
    symlinkSync('sub', project.path('linked'));
    const upAndBack = `../${path.basename(project.root)}/b.md`;
    const ways = ['b.md', './b.md', 'sub/../b.md', upAndBack, project.path('b.md'), 'a.md', 'b.md'];
    const odd = ['it\'s a "file".md', 'über/ñandú 日本.md', '..dots', '-rf', 'sp ace '];
    for (const name of odd) project.write(name, 'x');
    const pages = [...ways, 'link.md', 'linked/c.md', ...odd];
    const stored = {
      report: 'sub/c.md',
      pages: ['b.md', 'a.md', 'link.md', 'linked/c.md', ...odd],
    };
    expect(await accepts({ report: project.path('sub/c.md'), pages })).toEqual(stored);
    expect(readView(project, session_id).step_progress.only.outputs).toEqual(stored);
  });

  test('a project that is reached through a link works the same', async () => {
    verifies('JOBS-X.8');
    const { project } = await running({ report: 'file' });
    const link = path.join(tempFolder(), 'project');
    symlinkSync(project.root, link);
    const server = await connect(link);
    for (const report of ['a.md', path.join(link, 'a.md'), project.path('a.md')]) {
      await server.ok('start_workflow', START);
      const { all_outputs } = await server.ok('finished_step', { outputs: { report } });
      expect(all_outputs).toEqual({ report: 'a.md' });
    }
  });

  test('up to 1000 paths are accepted, and no more', async () => {
    verifies('JOBS-X.8');
    const { project, refuses, accepts } = await running({ pages: 'files' });
    const many = (count: number) => Array.from({ length: count }, (_, index) => `many/${index}.md`);
    for (const count of [10_000, 1001]) {
      await refuses({ pages: many(count) }, 'outputs_invalid', "'pages'", '1000');
    }
    // A thousand problems are still one message of limited size.
    await refuses({ pages: many(1000) }, 'outputs_invalid', "'many/0.md'");
    for (const file of many(1000)) project.write(file, 'x');
    expect(await accepts({ pages: many(1000) })).toEqual({ pages: many(1000) });
  });
});
