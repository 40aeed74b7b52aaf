// What people are told who look after a project: trust, steering runs, records, exports, the store.

import { appendFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { atPace, words } from './page.ts';
import { newWork, START } from './project.ts';
import { newStage } from './stage.ts';
import { dialogue } from './terminal.ts';

const DONE = { outputs: { notes: 'notes.md' } };
const TWO = { draft: { outputs: { notes: 'file' } }, next: { outputs: { notes: 'file' } } };

words('trust', async (page) => {
  page.part('nothing to agree to');
  const quiet = newStage();
  await page.command(quiet, ['trust']);
  await page.command(quiet, ['trust', '--yes']);
  await page.command(quiet, ['trust', '--revoke']);

  page.part('commands');
  const checks = [
    { name: 'tests', run: './check.sh --all' },
    { name: 'lint', run: 'npm run lint' },
    { name: 'shell', run: 'sh -c "true; ./check.sh"' },
    { name: 'gone', run: 'sh ./later.sh' },
  ];
  const loop = {
    name: 'green',
    steps: ['next'],
    until: { check: { name: 'until', run: 'make -C sub check' } },
    max: 2,
  };
  const stage = newWork({
    steps: { draft: { outputs: { notes: 'file' }, checks }, next: {} },
    entries: ['draft', { loop }],
    files: {
      'check.sh': 'exit 0\n',
      'package.json': '{"scripts": {"lint": "true"}}',
      'sub/Makefile': 'check:\n\ttrue\n',
    },
    config: {
      quality_gate: {
        agent_review_command: 'claude -p',
        default_max_attempts: 5,
        overrides: 'agent',
      },
      team: {
        question_wait_seconds: 1,
        notify: 'mail ann',
        agents: [{ name: 'writer', command: 'claude --model opus' }],
      },
      worktree: { setup: 'npm ci' },
      clients: { max_nudges: 1 },
      store_lease_seconds: 30,
    },
  });
  await page.command(stage, ['trust']);
  await page.command(stage, ['trust'], { terminal: 60, input: '' });
  const agent = await stage.agent();
  await page.call(agent, 'start_workflow', START);
  await page.call(agent, 'finished_step', DONE);
  await page.command(stage, ['trust', '--yes']);
  await page.command(stage, ['trust']);

  page.part('changed since');
  stage.write('check.sh', 'exit 1\n');
  stage.write('later.sh', 'exit 1\n');
  await page.call(agent, 'finished_step', DONE);
  await page.command(stage, ['trust']);
  const job = stage.path('.deepwork/jobs/work/job.yml');
  writeFileSync(job, readFileSync(job, 'utf8').replace('npm run lint', 'npm run lint --fix'));
  await page.call(agent, 'finished_step', DONE);
  await page.command(stage, ['trust']);
  await page.command(stage, ['trust', '--yes']);
  await page.command(stage, ['trust', '--revoke']);
  await page.command(stage, ['trust', '--revoke']);
  await page.command(stage, ['trust'], { env: { DEEPWORK_TRUST: '1' } });

  page.part('moved, and no longer named');
  await page.command(stage, ['trust', '--yes'], { shown: false });
  writeFileSync(job, readFileSync(job, 'utf8').replace(/ {6}- name: lint\n.*\n/, ''));
  await page.command(stage, ['trust']);
  const moved = newStage();
  cpSync(stage.root, moved.root, { recursive: true });
  rmSync(stage.root, { recursive: true });
  renameSync(moved.root, stage.root);
  await page.command(stage, ['trust']);

  page.part('asked');
  await dialogue(page, stage, ['trust'], [['[y/N]', 'n']]);
  await dialogue(page, stage, ['trust'], [['[y/N]', 'y']]);

  page.part('what cannot be read');
  stage.write('GOAL.md', '---\nflow: [\n---\n');
  stage.write('.deepwork/config.yml', 'git: {branch: off}\n');
  await page.command(stage, ['trust']);
  stage.write('.deepwork/jobs/work/job.yml', 'name: work\n');
  await page.command(stage, ['trust']);
  stage.write('.deepwork/config.yml', 'git: [');
  await page.command(stage, ['trust']);
});

words('steer', async (page) => {
  const begun = async () => {
    const stage = newWork({ steps: TWO });
    const agent = await stage.agent();
    const id = (await agent.ok('start_workflow', START)).begin_step.session_id as string;
    return { stage, agent, id };
  };
  page.part('abort');
  const one = await begun();
  await page.command(one.stage, ['abort', one.id, '--reason', 'Not needed', '--by', 'ann']);
  await page.command(one.stage, ['abort', one.id, '--reason', 'Not needed']);
  await page.call(one.agent, 'finished_step', DONE);
  await page.call(one.agent, 'get_active_workflow');
  const json = await begun();
  await page.command(json.stage, ['abort', 'last', '--reason', 'x', '--by', 'ann', '--json']);
  await page.command(json.stage, ['abort', 'last', '--reason', 'x'.repeat(3000)]);

  page.part('redo');
  const two = await begun();
  await two.agent.ok('finished_step', DONE);
  for (const step of ['next', 'nothing', 'drft']) {
    await page.command(two.stage, ['redo', two.id, step, '--reason', 'Again', '--by', 'ann']);
  }
  await page.command(two.stage, ['redo', two.id, 'draft', '--reason', 'Too short', '--by', 'ann']);
  await page.command(two.stage, ['redo', two.id, 'next', '--reason', 'Later']);
  await page.call(two.agent, 'finished_step', DONE);
  await two.agent.ok('finished_step', DONE);
  await two.agent.ok('finished_step', DONE);
  await page.command(two.stage, ['redo', two.id, 'next', '--reason', 'Not good', '--by', 'ann']);
  await page.call(two.agent, 'get_active_workflow');
  await page.call(two.agent, 'finished_step', DONE);
  await page.command(two.stage, ['abort', two.id, '--reason', 'x'], { shown: false });
  await page.command(two.stage, ['redo', two.id, 'draft', '--reason', 'x']);

  page.part('nested');
  const run = { name: 'sub', job: 'other', workflow: 'main' };
  const nested = newWork({
    entries: [{ run }, 'draft'],
    steps: { draft: { outputs: { notes: 'file' } } },
    jobs: { other: { steps: { look: {} } } },
  });
  const worker = await nested.agent();
  const started = await worker.ok('start_workflow', START);
  const [outer, inner] = started.stack.map(({ session_id }: { session_id: string }) => session_id);
  await page.command(nested, ['redo', outer, 'sub', '--reason', 'x', '--by', 'ann']);
  await page.command(nested, ['abort', outer, '--reason', 'x', '--by', 'ann']);
  await page.call(worker, 'finished_step', { outputs: {} });
  await page.command(nested, ['redo', inner, 'look', '--reason', 'x', '--by', 'ann']);

  page.part('stop');
  const idle = await begun();
  await page.command(idle.stage, ['stop']);
  await page.command(idle.stage, ['stop', idle.id, '--by', 'ann']);
});

words('records', async (page) => {
  page.part('verify');
  const stage = newWork({ steps: { draft: { outputs: { notes: 'file' } } } });
  await page.command(stage, ['verify']);
  const agent = await stage.agent();
  const ids: string[] = [];
  for (let nth = 1; nth <= 1; nth++) {
    ids.push(
      (await agent.ok('start_workflow', { ...START, instance_id: `n${nth}` })).begin_step
        .session_id,
    );
    await agent.ok('finished_step', DONE);
    page.minutes(1);
  }
  await page.command(stage, ['verify']);
  await page.command(stage, ['verify', ids[0] ?? '']);

  page.part('prune');
  await page.command(stage, ['prune']);
  page.minutes(60 * 24 * 40);
  const open = (await agent.ok('start_workflow', { ...START, instance_id: 'open' })).begin_step
    .session_id;
  await page.command(stage, ['prune', '--dry-run']);
  await page.command(stage, ['prune']);
  await page.command(stage, ['prune']);
  await page.command(stage, ['verify']);
  await page.command(stage, ['history', ids[0] ?? '']);
  await page.command(stage, ['redo', ids[0] ?? '', 'draft', '--reason', 'x']);
  await page.command(stage, ['status', '--all']);

  page.part('agents');
  const agents = { CLAUDECODE: '1' };
  for (const args of [
    ['prune'],
    ['repair', '--journal', '--all'],
    ['run', 'work/main', '--goal', 'x', '--command', 'true'],
    ['simulate', 'work/main', '--run-checks'],
    ['store', 'migrate'],
    ['launch', '--', 'true'],
  ]) {
    await page.command(stage, args, { env: agents });
  }
  await page.command(stage, ['call', 'get_workflows', '--agent', 'writer'], {
    env: { ...agents, DEEPWORK_TRUST: '1' },
  });
  await page.command(stage, [
    'call',
    'ask_user_question',
    '--agent',
    'writer',
    '--questions',
    '[]',
  ]);

  page.part('export');
  await page.command(stage, ['export', ids[0] ?? '']);
  await page.command(stage, ['export', ids[0] ?? '']);
  await page.command(stage, ['export', 'last', '--output', 'out/run.html']);
  stage.write('mine.html', 'mine');
  await page.command(stage, ['export', 'last', '--output', 'mine.html']);
  await page.command(stage, ['export', 'skills']);
  await page.command(stage, ['export', 'skills', '--to', 'skills', 'work/main']);
  page.text(readFileSync(stage.path('skills/work-main/SKILL.md'), 'utf8'));
  await page.command(stage, ['export', 'skills', '--to', 'skills', 'work/main']);
  appendFileSync(stage.path('skills/work-main/SKILL.md'), 'mine\n');
  await page.command(stage, ['export', 'skills', '--to', 'skills', 'work/main']);
  await page.command(stage, ['export', 'skills', '--to', 'skills', 'work/mian']);
  stage.write('.deepwork/jobs/broken/job.yml', 'name: broken\n');
  await page.command(stage, ['export', 'skills', '--to', 'skills', 'broken/main']);
  await page.command(stage, ['export', 'skills', '--to', 'skills']);

  page.part('what was altered');
  const file = stage.path(`.deepwork/journal/session/${open}.jsonl`);
  const sound = readFileSync(file, 'utf8');
  writeFileSync(file, sound.replace(START.goal, 'Another goal'));
  await page.command(stage, ['verify']);
  await page.command(stage, ['verify', open]);
  writeFileSync(file, `${sound}nonsense`);
  await page.command(stage, ['verify']);
  writeFileSync(file, `nonsense\n${sound}`);
  await page.command(stage, ['verify']);
  await page.command(stage, ['repair']);
  await page.command(stage, ['repair']);
  await page.command(stage, ['repair', '--journal']);

  const keyFile = `${stage.home}/.deepwork/signing.key`;
  const key0 = readFileSync(keyFile);
  rmSync(keyFile);
  await page.command(stage, ['verify']);
  writeFileSync(keyFile, key0);

  page.part('what others wrote');
  const foreign = newWork({ steps: { draft: { outputs: { notes: 'file' } } } });
  const writer = await foreign.agent();
  await writer.ok('start_workflow', START);
  await writer.call('update_workflow_state', { task: 'x' });
  await writer.close();
  const key = `${foreign.home}/.deepwork/signing.key`;
  const own = readFileSync(key);
  writeFileSync(key, Buffer.alloc(32, 7));
  await page.command(foreign, ['verify']);
  await page.command(foreign, ['status']);
  const other = await foreign.agent();
  await other.call('get_active_workflow');
  page.minutes(1);
  await other.call('check_inbox');
  await page.command(foreign, ['repair', '--journal']);
  await page.command(foreign, ['repair', '--journal', 'nothing']);
  await page.command(foreign, ['repair', '--journal', '--all']);
  await page.command(foreign, ['repair', '--journal', '--all']);
  await page.command(foreign, ['verify']);
  writeFileSync(key, own);

  page.part('the state of a team');
  const team = newStage();
  team.write('.sgai/state.json', '{');
  await page.command(team, ['repair']);
  await page.command(team, ['repair']);
  const cloned = newWork({ steps: TWO });
  const repository = newRepository(cloned.root);
  await (await cloned.agent()).ok('start_workflow', START);
  repository.git('add', '-f', '.deepwork');
  await page.command(cloned, ['verify']);
  await page.command(cloned, ['status']);
});

words('store', async (page) => {
  page.part('files');
  const stage = newWork({ steps: TWO });
  await page.command(stage, ['store', 'status']);
  await (await stage.agent()).ok('start_workflow', START);
  await page.command(stage, ['store', 'status']);
  for (const args of [
    ['migrate'],
    ['copy', '--from', 'files', '--to', 'postgres'],
    ['copy', '--from', 'postgres', '--to', 'files'],
  ]) {
    await page.command(stage, ['store', ...args]);
  }
  page.part('a database that does not answer');
  const env = { DEEPWORK_DATABASE_URL: 'postgres://ann:secret@127.0.0.1:9/work?connect_timeout=1' };
  for (const args of [
    ['store', 'status'],
    ['store', 'migrate'],
    ['store', 'copy', '--from', 'files', '--to', 'postgres'],
    ['status'],
    ['history'],
    ['verify'],
    ['prune'],
    ['repair'],
  ]) {
    await atPace(100, () => page.command(stage, args, { env }));
  }
  page.part('an address that is none');
  for (const args of [['store', 'status'], ['status']])
    await page.command(stage, args, { env: { DEEPWORK_DATABASE_URL: 'mysql://x' } });
  page.part('an address that no one has agreed to');
  writeJob(stage, 'work', TWO, { main: ['draft', 'next'] });
  stage.write(
    '.deepwork/config.yml',
    'git: {branch: off}\nstore: postgres://db.example.org/work\nstore_schema: other\nworkspace: ours\n',
  );
  for (const args of [['store', 'status'], ['status'], ['trust']]) await page.command(stage, args);
  rmSync(stage.path('.deepwork/config.yml'));
});
