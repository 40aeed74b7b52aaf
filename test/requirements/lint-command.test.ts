// deepwork lint: every problem with its position, and an exit code for CI. What each mistake is
// called is recorded elsewhere.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { BINARY, connect } from '../support/connect.ts';
import { lineOf, SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject } from '../support/project.ts';
import { deepwork, run } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

const BROKEN = spoil(
  ['dependencies: [first]', 'dependencies: [first, ghost]'],
  ['steps: [first, second]', 'steps: [first, second, spook]'],
);

interface Linted {
  readonly code: number | null;
  /** `file:line:column kind`, in the order they are printed. */
  readonly places: string[];
  readonly stdout: string;
}

async function lint(cwd: string, ...args: string[]): Promise<Linted> {
  const { code, stdout, stderr } = await command(['lint', ...args], { cwd });
  expect(stderr).toBe('');
  const found = [...stdout.matchAll(/^(\S+:\d+:\d+): (problem|warning): /gm)];
  return { code, stdout, places: found.map(([, place, kind]) => `${place} ${kind}`) };
}

test('nothing wrong is 0, a problem is 1 and a warning alone is 0, each at its place', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  writeJobText(project, 'sample', SOUND);
  const ran = await deepwork(['lint'], { cwd: project.root });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('0 problems, 0 warnings');
  writeJobText(project, 'zz_broken', BROKEN.replace('name: sample', 'name: zz_broken'));
  const at = (piece: string) => {
    const line = lineOf(BROKEN, piece);
    const column = (BROKEN.split('\n')[line - 1] ?? '').indexOf(piece) + 1;
    return `.deepwork/jobs/zz_broken/job.yml:${line}:${column} problem`;
  };
  expect(await lint(project.root)).toMatchObject({ code: 1, places: [at('ghost'), at('spook')] });

  const other = newProject();
  const dir = writeJobText(other, 'other', SOUND);
  writeFileSync(path.join(dir, 'steps/second.md'), ' \n');
  const line = lineOf(SOUND, 'steps/second.md');
  expect(await lint(other.root)).toMatchObject({
    code: 0,
    places: [1, line].map((each) => expect.stringMatching(`/job.yml:${each}:\\d+ warning`)),
  });
  // The server says the same.
  const { warnings } = await (await connect(other.root)).ok('get_workflows');
  expect(warnings).toMatchObject([{ job_name: 'sample' }, { job_name: 'sample' }]);
});

test('the settings of the project and GOAL.md are checked, too', async () => {
  verifies('JOBS-X.24', 'TEAM-17');
  const project = newProject({
    '.deepwork/config.yml': 'quality_gate:\n  max_parallel: many\nteam:\n  notfy: x\n',
    'GOAL.md': '---\nflow: a -> b -> a\nmodel: {a: m}\n---\n',
  });
  const config = ['.deepwork/config.yml:2:17 problem', '.deepwork/config.yml:4:3 problem'];
  const goal = ['GOAL.md:3:1 problem', 'GOAL.md:2:7 problem'];
  for (const args of [[], ['.']]) {
    const all = { code: 1, places: [...config, ...goal] };
    expect(await lint(project.root, ...args)).toMatchObject(all);
  }
  expect((await lint(project.root, '.deepwork/config.yml')).places).toEqual(config);
  expect((await lint(project.root, 'GOAL.md')).places).toEqual(goal);
  // Agents of GOAL.md that those of config.yml replace are a warning.
  const agents = 'team: {agents: [{name: writer, command: claude}]}';
  project.write('.deepwork/config.yml', agents);
  project.write('GOAL.md', '---\nflow: writer -> editor\nmodels: {writer: opus}\n---\n');
  const replaced = { code: 0, places: ['GOAL.md:1:1 warning'] };
  expect(await lint(project.root)).toMatchObject(replaced);
  project.write('GOAL.md', '---\nflow: coordinator -> writer\n---\n');
  expect(await lint(project.root)).toMatchObject({ code: 0, places: [] });
  // So is shell syntax in a command that runs without a shell.
  const commands =
    "team: {agents: [{name: a, command: 'cd x; y'}, {name: b, command: sh -c 'x; y'}]}";
  project.write('.deepwork/config.yml', commands);
  const places = [expect.stringMatching(/^\.deepwork\/config\.yml:1:\d+ warning$/)];
  expect(await lint(project.root, '.deepwork/config.yml')).toMatchObject({ code: 0, places });
});

test('what is misspelt or in the wrong place, and so is not read, is a warning', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  writeJobText(project, 'sample', SOUND);
  for (const file of ['job/blog/job.yml', 'jobs.yml', 'jobs/jobs.yml', 'jobs/blog/job.yaml']) {
    project.write(`.deepwork/${file}`, SOUND);
  }
  project.write('.deepwork/config.yaml', 'git: {branch: off}\n');
  project.write('.deepwork/jobs/notes/ideas.md', 'Later.');
  project.write('.deepwork/jobs/.trash/old.md', 'Gone.');
  const unread = [
    'config.yaml',
    'job',
    'jobs.yml',
    'jobs/blog/job.yaml',
    'jobs/jobs.yml',
    'jobs/notes',
  ];
  for (const args of [[], ['.']]) {
    const { code, places } = await lint(project.root, ...args);
    expect(code).toBe(0);
    expect(places.sort()).toEqual(unread.map((file) => `.deepwork/${file}:1:1 warning`));
  }
  const server = await connect(project.root);
  const listed = async () => (await server.ok('get_workflows')).warnings;
  const job_dir = project.path('.deepwork/jobs/blog');
  const warning = expect.stringContaining('job.yaml');
  expect(await listed()).toEqual([{ job_name: 'blog', job_dir, warning }]);
  writeJobText(project, 'blog', SOUND.replace('name: sample', 'name: blog'));
  expect(await listed()).toEqual([]);
});

test('the given paths are checked, and a name that is none is answered with the path that was meant', async () => {
  verifies('JOBS-X.3', 'JOBS-X.24');
  const project = newProject();
  const sample = writeJobText(project, 'sample', SOUND);
  const broken = writeJobText(project, 'broken', BROKEN);
  const guide = project.write('.deepwork/workflows/tour.json', '{}');
  const elsewhere = newProject().root;
  const problems = async (cwd: string, ...args: string[]) => {
    const { code, places } = await lint(cwd, ...args);
    return [code, places.filter((place) => place.endsWith('problem')).length];
  };
  for (const [cwd, args, expected] of [
    [elsewhere, [path.join(sample, 'job.yml')], [0, 0]],
    [elsewhere, [broken], [1, 2]],
    [project.root, ['.deepwork/jobs'], [1, 2]],
    [elsewhere, [], [0, 0]],
    [elsewhere, ['ghost.yml'], [1, 1]],
  ] as const) {
    expect(await problems(cwd, ...args), args.join()).toEqual(expected);
  }
  for (const args of [[project.root], ['--path', project.root]]) {
    expect((await problems(elsewhere, ...args))[0]).toBe(1);
  }
  for (const [name, meant] of [
    ['sample', sample],
    ['sample/main', sample],
    ['tour', guide],
  ] as const) {
    const { code, stdout } = await lint(project.root, name);
    expect(code).toBe(1);
    expect(stdout).toContain(`did you mean ${path.relative(project.root, meant)}?`);
  }
});

test('problems are printed from the top of a file to its end', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const text = spoil(
    ['dependencies: [first]', 'dependencies: [first, ghost]'],
    ['steps: [first, second]', 'steps: [first, second, spook]\n    strange: 1'],
  );
  writeJobText(project, 'sample', text);
  const lines = (await lint(project.root)).places.map((place) => Number(place.split(':')[1]));
  expect(lines).toEqual(['ghost', 'spook', 'strange'].map((piece) => lineOf(text, piece)));
});

test('the output is limited, has nothing that a terminal would take for a command, and may not be read', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const ghosts = Array.from({ length: 10_000 }, (_, index) => `ghost_${index}`).join(', ');
  writeJobText(project, 'sample', spoil(['dependencies: [first]', `dependencies: [${ghosts}]`]));
  const { code, stdout } = await lint(project.root);
  expect(code).toBe(1);
  expect(stdout.length).toBeLessThan(1024 * 1024);
  expect(stdout).toMatch(/\d{3,} more problems\n/);
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  // Readers stop after a thousand problems: a lower bound.
  writeJobText(project, 'sample', spoil(['reviews: []', `reviews: [${'{}, '.repeat(2000)}]`]));
  expect((await lint(project.root)).stdout).toContain('at least 1000 problems');
  const pipe = `"${process.execPath}" "${BINARY}" lint | head -n 1`;
  const ran = await run('sh', ['-c', pipe], { cwd: project.root });
  expect(ran.stdout.split('\n')).toHaveLength(2);
  expect(ran.stderr).toBe('');
});
