// deepwork lint: every problem with its position, and an exit code for CI.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
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

describe('deepwork lint', () => {
  test('exits with 0 when nothing is wrong', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    const ran = await deepwork(['lint'], { cwd: project.root });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    // The project's own and the bundled ones.
    expect(ran.stdout).toBe(
      '1 job and 0 guides of this project, 1 job and 3 guides bundled: 0 problems, 0 warnings\n',
    );
  });

  test('prints each problem as file:line:column and exits with 1', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    writeJobText(project, 'zz_broken', BROKEN.replace('name: sample', 'name: zz_broken'));
    const { code, stdout } = await command(['lint'], { cwd: project.root });
    const file = path.join('.deepwork', 'jobs', 'zz_broken', 'job.yml');
    const at = (piece: string) => {
      const line = lineOf(BROKEN, piece);
      return `${file}:${line}:${(BROKEN.split('\n')[line - 1] ?? '').indexOf(piece) + 1}`;
    };
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${at('ghost')}: problem: Step 'second' depends on non-existent step 'ghost'`,
      `${at('spook')}: problem: Workflow 'main' references non-existent step 'spook'`,
      '2 jobs and 0 guides of this project, 1 job and 3 guides bundled: 2 problems, 0 warnings',
    ]);
  });

  test('suggests the path of a job or a guide that is given by its name', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    const lint = async (name: string) =>
      (await command(['lint', name], { cwd: project.root })).stdout;
    const missing = (name: string) =>
      `${name}:1:1: problem: Nothing to lint here: it does not exist`;
    const job = path.join('.deepwork', 'jobs', 'sample');
    expect(await lint('sample')).toContain(`${missing('sample')}; did you mean ${job}?\n`);
    expect(await lint('sample/main')).toContain(`; did you mean ${job}?\n`);
    expect(await lint('nothing')).toContain(`${missing('nothing')}\n`);
    project.write('.deepwork/workflows/tour.json', '{}');
    const guide = path.join('.deepwork', 'workflows', 'tour.json');
    expect(await lint('tour')).toContain(`; did you mean ${guide}?\n`);
  });

  test('exits with 0 for warnings alone, and prints them too', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'other', SOUND);
    const { code, stdout } = await command(['lint'], { cwd: project.root });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /job\.yml:1:\d+: warning: Job name 'sample' differs from directory 'other'\n/,
    );
    expect(stdout).toMatch(/0 problems, 1 warning\n$/);
  });

  test('checks the settings of the project, too, with the place of each problem', async () => {
    verifies('JOBS-X.24', 'TEAM-17');
    const config = 'quality_gate:\n  max_parallel: many\nteam:\n  notfy: x\n';
    const goal = '---\nflow: a -> b -> a\nmodel: {a: m}\n---\n';
    const project = newProject({ '.deepwork/config.yml': config, 'GOAL.md': goal });
    const ofConfig = [
      ".deepwork/config.yml:2:17: problem: quality_gate.max_parallel: expected a whole number from 1 to 86400, found the text 'many'",
      ".deepwork/config.yml:4:3: problem: team: unknown key 'notfy'; did you mean 'notify'?",
    ];
    const ofGoal = [
      "GOAL.md:3:1: problem: unknown key 'model'; did you mean 'models'?",
      'GOAL.md:2:7: problem: flow: the flow has a cycle: a -> b -> a',
    ];
    const lint = async (...args: string[]) => {
      const { code, stdout } = await command(['lint', ...args], { cwd: project.root });
      return [code, ...stdout.trimEnd().split('\n').slice(0, -1)];
    };
    expect(await lint()).toEqual([1, ...ofConfig, ...ofGoal]);
    expect(await lint('.')).toEqual([1, ...ofConfig, ...ofGoal]);
    expect(await lint('.deepwork/config.yml')).toEqual([1, ...ofConfig]);
    expect(await lint('GOAL.md')).toEqual([1, ...ofGoal]);
    project.write('.deepwork/config.yml', 'team: [');
    project.write('GOAL.md', '---\nflow: "a\n---\n');
    expect(await lint()).toEqual([
      1,
      expect.stringMatching(/^\.deepwork\/config\.yml:\d+:\d+: problem: cannot be read: /),
      expect.stringMatching(/^GOAL\.md:\d+:\d+: problem: /),
    ]);
  });

  test('agents of GOAL.md that those of config.yml replace are a warning, unless they are the same', async () => {
    const project = newProject({
      '.deepwork/config.yml': 'team: {agents: [{name: writer, command: claude}]}',
      'GOAL.md': '---\nflow: coordinator -> writer\n---\n',
    });
    const lint = async () => (await command(['lint'], { cwd: project.root })).stdout;
    expect(await lint()).toContain('0 problems, 0 warnings');
    project.write('GOAL.md', '---\nflow: writer -> editor\nmodels: {writer: opus}\n---\n');
    const warned = await lint();
    expect(warned).toContain(
      'GOAL.md:1:1: warning: flow and models have no effect: team.agents of .deepwork/config.yml (writer) replaces the agents named here (editor, writer)\n',
    );
    expect(warned).toContain('0 problems, 1 warning');
  });

  test('warns of shell syntax in commands without a shell, and so does the server', async () => {
    verifies('JOBS-X.24');
    const project = newProject({
      '.deepwork/config.yml': [
        'quality_gate:',
        '  agent_review_command: cat | my-reviewer',
        'team:',
        '  notify: echo "$1" >> told.txt',
        '  agents:',
        "    - {name: a, command: 'cd x; claude'}",
        '    - {name: b, command: "sh -c \'cd x; claude\'"}',
        '',
      ].join('\n'),
    });
    const { code, stdout } = await command(['lint', '.deepwork/config.yml'], {
      cwd: project.root,
    });
    const without = (sign: string) =>
      `is run without a shell: '${sign}' is passed on as it is; put it into a script, or write sh -c '…'`;
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      `.deepwork/config.yml:2:25: warning: quality_gate.agent_review_command: ${without('|')}`,
      `.deepwork/config.yml:6:26: warning: team.agents[0].command: ${without(';')}`,
    ]);
    expect(stdout).toMatch(/0 problems, 2 warnings\n$/);
    expect(code).toBe(0);
    const server = await connect(project.root, { args: ['--quality-gate', 'cat > x'] });
    const told = JSON.stringify((await server.ok('get_workflows')).warnings);
    expect(told).toContain(`quality_gate.agent_review_command: ${without('|')}`);
  });

  test('warns about misspelt names, as get_workflows does for a job', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    project.write('.deepwork/jobs/blog/job.yaml', SOUND);
    project.write('.deepwork/config.yaml', 'git: {branch: off}\n');
    project.write('.deepwork/job/blog/job.yml', SOUND);
    const warnings = [
      '.deepwork/config.yaml:1:1: warning: config.yaml is not read; rename it to config.yml',
      '.deepwork/job:1:1: warning: job is not read; jobs are in .deepwork/jobs',
      '.deepwork/jobs/blog/job.yaml:1:1: warning: job.yaml is not read; rename it to job.yml',
    ];
    for (const args of [['lint'], ['lint', '.']]) {
      const { code, stdout } = await command(args, { cwd: project.root });
      expect(stdout.split('\n').slice(0, -2)).toEqual(warnings);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/: 0 problems, 3 warnings\n$/)]);
    }
    const server = await connect(project.root);
    expect((await server.ok('get_workflows')).warnings).toEqual([
      {
        job_name: 'blog',
        job_dir: project.path('.deepwork/jobs/blog'),
        warning: 'job.yaml is not read; rename it to job.yml',
      },
    ]);
    writeJobText(project, 'blog', SOUND.replace('name: sample', 'name: blog'));
    expect((await server.ok('get_workflows')).warnings).toEqual([]);
  });

  test('reports what is in a folder of jobs and is not read, and says what to do', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    project.write('.deepwork/jobs.yml', SOUND);
    project.write('.deepwork/jobs/jobs.yml', SOUND);
    project.write('.deepwork/jobs/blog/jobs.yml', SOUND);
    project.write('.deepwork/jobs/blog/steps/a.md', 'Do a.');
    project.write('.deepwork/jobs/notes/ideas.md', 'Later.');
    project.write('.deepwork/jobs/.trash/old.md', 'Gone.');
    const elsewhere = 'is not read; a job is .deepwork/jobs/<name>/job.yml';
    for (const args of [['lint'], ['lint', '.']]) {
      const { code, stdout } = await command(args, { cwd: project.root });
      expect(stdout.split('\n').slice(0, -2)).toEqual([
        `.deepwork/jobs.yml:1:1: warning: jobs.yml ${elsewhere}`,
        '.deepwork/jobs/blog/jobs.yml:1:1: warning: jobs.yml is not read; rename it to job.yml',
        '.deepwork/jobs/notes:1:1: warning: There is no job.yml in this folder, so it is no job',
        `.deepwork/jobs/jobs.yml:1:1: warning: jobs.yml ${elsewhere}`,
      ]);
      expect(code).toBe(0);
    }
    const alone = await command(['lint', '.deepwork/jobs/blog'], { cwd: project.root });
    expect(alone).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('jobs.yml is not read'),
    });
    const server = await connect(project.root);
    expect((await server.ok('get_workflows')).warnings).toMatchObject([{ job_name: 'blog' }]);
  });

  test.each([
    [
      'version: "1.0.0"',
      'version "1.0.0"',
      /The line 'version "1\.0\.0"' has no colon; write key: value$/,
    ],
    ['steps:\n', 'steps\n', /The line 'steps' has no colon; write key: value/],
    ['- id: first', '- id:first', /The colon in 'id:first' needs a space after it/],
    ['outputs: {}', 'outputs # none', /The line 'outputs' has no colon; write key: value/],
  ])('says plainly that a line lacks a colon: %s', async (right, wrong, says) => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND.replace(right, wrong));
    const { stdout } = await command(['lint'], { cwd: project.root });
    const [first = ''] = stdout.split('\n');
    expect(first).toMatch(says);
    const line = lineOf(SOUND, right.trim());
    expect(first).toContain(`.deepwork/jobs/sample/job.yml:${line}:`);
  });

  test("reports a job's problem without repeating the file and line", async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', `${SOUND}surplus: 1\n`);
    writeJobText(project, 'unreadable', 'name: a: b\n');
    const { stdout } = await command(['lint'], { cwd: project.root });
    expect(stdout).toMatch(/sample\/job\.yml:\d+:1: problem: unknown key 'surplus'; allowed here/);
    expect(stdout).toMatch(/unreadable\/job\.yml:1:\d+: problem: Nested mappings/);
    expect(stdout).not.toMatch(/validation failed|Failed to load/);
  });

  test('reports instruction files that are empty, until something is written in them', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const dir = writeJobText(project, 'sample', SOUND);
    const empty = path.join(dir, 'steps/second.md');
    writeFileSync(empty, ' \n');
    const line = lineOf(SOUND, 'steps/second.md');
    const { code, stdout } = await command(['lint'], { cwd: project.root });
    expect(code).toBe(0);
    expect(stdout).toContain(
      `job.yml:${line}:24: warning: Instructions file is empty: steps/second.md\n`,
    );
    const server = await connect(project.root);
    const { warnings } = await server.ok('get_workflows');
    expect(warnings).toMatchObject([
      { job_name: 'sample', warning: expect.stringContaining('Instructions file is empty') },
    ]);
    writeFileSync(empty, 'Do it.\n');
    expect((await server.ok('get_workflows')).warnings).toEqual([]);
  });

  test('checks the given paths', async () => {
    verifies('JOBS-X.3', 'JOBS-X.24');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    writeJobText(project, 'broken', BROKEN);
    const elsewhere = newProject().root;
    const jobs = project.path('.deepwork/jobs');
    const problems = async (cwd: string, ...args: string[]) => {
      const { code, stdout } = await command(['lint', ...args], { cwd });
      return [code, /(\d+) problem/.exec(stdout.split('\n').at(-2) ?? '')?.[1]];
    };
    expect(await problems(elsewhere, path.join(jobs, 'sample/job.yml'))).toEqual([0, '0']);
    expect(await problems(elsewhere, path.join(jobs, 'broken'))).toEqual([1, '2']);
    expect(await problems(project.root, '.deepwork/jobs')).toEqual([1, '2']);
    expect(await problems(elsewhere, project.root)).toEqual([1, '2']);
    expect(await problems(elsewhere, '--path', project.root)).toEqual([1, '2']);
    expect(await problems(elsewhere), 'the bundled job only').toEqual([0, '0']);
    expect(await problems(elsewhere, 'ghost.yml')).toEqual([1, '1']);
  });

  test('finds what a run refers to in the whole project, whatever paths are given', async () => {
    verifies('LANG-8');
    const project = newProject();
    const runs = (job: string, workflow: string) =>
      `steps: [first, second, {run: {name: r, job: ${job}, workflow: ${workflow}}}]`;
    const port = (job: string, workflow: string) =>
      spoil(['name: sample', 'name: port'], ['steps: [first, second]', runs(job, workflow)]);
    writeJobText(project, 'news', SOUND.replace('name: sample', 'name: news'));
    writeJobText(project, 'renamed', SOUND.replace('name: sample', 'name: other'));
    const elsewhere = newProject().root;
    const file = project.path('.deepwork/jobs/port/job.yml');
    const said = async (cwd: string, ...args: string[]) => {
      const { stdout } = await command(['lint', ...args], { cwd });
      return [...stdout.matchAll(/problem: (.*)\n/g)].map(([, problem]) => problem);
    };
    const ways: [string, ...string[]][] = [
      [project.root],
      [project.root, '.deepwork/jobs/port/job.yml'],
      [project.root, '.deepwork/jobs/port'],
      [project.root, '.deepwork/jobs'],
      [elsewhere, file],
      [elsewhere, project.root],
    ];
    const who = "'r' of workflow 'main' runs workflow";
    for (const [job, workflow, ...expected] of [
      [
        'news',
        'man',
        `${who} 'man' of job 'news', which has no such workflow; did you mean 'main'?`,
      ],
      ['nws', 'main', `${who} 'main' of job 'nws', and there is no such job; did you mean 'news'?`],
      ['news', 'main'],
      ['renamed', 'main'],
      ['deepwork_jobs', 'new_job'],
    ] as const) {
      writeJobText(project, 'port', port(job, workflow));
      for (const way of ways) expect(await said(...way), way.join(' ')).toEqual(expected);
    }
    // Where a job is not part of a project, others may come from anywhere.
    const alone = path.join(elsewhere, 'port/job.yml');
    mkdirSync(path.join(path.dirname(alone), 'steps'), { recursive: true });
    for (const step of ['first', 'second']) {
      writeFileSync(path.join(path.dirname(alone), `steps/${step}.md`), 'Do it.\n');
    }
    writeFileSync(alone, port('nws', 'main'));
    expect(await said(elsewhere, alone)).toEqual([]);
  });

  test('limits its output for a hostile file', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const ghosts = Array.from({ length: 10_000 }, (_, index) => `ghost_${index}`).join(', ');
    writeJobText(project, 'sample', spoil(['dependencies: [first]', `dependencies: [${ghosts}]`]));
    const { code, stdout } = await command(['lint'], { cwd: project.root });
    expect(code).toBe(1);
    expect(stdout.length).toBeLessThan(1024 * 1024);
    expect(stdout).toMatch(/\d{3,} more problems\n/);
    // Nothing that a terminal would take for a command.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test('a count at which readers stopped is said to be a lower bound', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', spoil(['reviews: []', `reviews: [${'{}, '.repeat(2000)}]`]));
    const { stdout } = await command(['lint'], { cwd: project.root });
    expect(stdout).toMatch(/job\.yml: there may be more problems\n/);
    expect(stdout).toMatch(/bundled: at least 1000 problems, 0 warnings\n$/);
    const agent = await connect(project.root);
    const { errors } = await agent.ok('get_workflows');
    expect(errors[0].error.split('\n').at(-1)).toMatch(/^and at least 9\d\d more problems$/);
  });

  test('prints problems from the top of a file to its end, whatever found them', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const text = spoil(
      ['dependencies: [first]', 'dependencies: [first, ghost]'],
      ['steps: [first, second]', 'steps: [first, second, spook]\n    strange: 1'],
    );
    writeJobText(project, 'sample', text);
    const { stdout } = await command(['lint'], { cwd: project.root });
    const lines = [...stdout.matchAll(/job\.yml:(\d+):\d+: problem/g)].map(([, line]) =>
      Number(line),
    );
    expect(lines).toHaveLength(3);
    expect(lines).toEqual([...lines].sort((one, other) => one - other));
    const agent = await connect(project.root);
    const { errors } = await agent.ok('get_workflows');
    // The order of answers is by kind: shape first.
    expect(errors[0].error.split('\n')[0]).toContain("unknown key 'strange'");
  });

  describe('reports one mistake once', () => {
    const problemsOf = async (text: string) => {
      const project = newProject();
      writeJobText(project, 'sample', text);
      const { stdout } = await command(['lint'], { cwd: project.root });
      return [...stdout.matchAll(/: problem: (.*)\n/g)].map(([, problem]) => problem);
    };

    test('a dependency without brackets, with how to write it', async () => {
      verifies('JOBS-X.3');
      expect(await problemsOf(spoil(['dependencies: [first]', 'dependencies: first']))).toEqual([
        "steps -> 1 -> dependencies: expected a list, found the text 'first'; write [first]",
      ]);
    });

    test('a misspelt required key', async () => {
      verifies('JOBS-X.3');
      expect(await problemsOf(spoil(['description: Reads', 'descripton: Reads']))).toEqual([
        "steps -> 1: unknown key 'descripton'; did you mean 'description'?",
      ]);
    });

    test('a mistake in the syntax, and little of what comes from it', async () => {
      verifies('JOBS-X.3');
      const problems = await problemsOf(
        SOUND.replaceAll(/^( +(name|description): \w+) /gm, '$1: '),
      );
      expect(problems).toHaveLength(3);
      expect(problems[0]).toMatch(/; fix this first: the others may come from it$/);
      expect(problems.slice(1).join()).not.toContain('fix this first');
    });
  });

  test('exits quietly if its output is no longer read', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const surplus = Array.from({ length: 3000 }, (_, index) => `surplus_${index}: 1\n`).join('');
    writeJobText(project, 'sample', SOUND + surplus);
    const pipe = `"${process.execPath}" "${BINARY}" lint | head -n 1`;
    const { stdout, stderr } = await run('sh', ['-c', pipe], { cwd: project.root });
    expect(stdout).toMatch(/^\S+job\.yml:\d+:1: problem: .*\n$/);
    expect(stderr).toBe('');
  });
});
