// What clients and the people who set them up are told: hooks, `deepwork init` and `deepwork doctor`.

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { TEMPLATES } from '../../src/init/templates.ts';
import { VERSION } from '../../src/version.ts';
import { setUpClaude } from '../support/doctor.ts';
import { runHook } from '../support/hook.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { atPace, type Page, words } from './page.ts';
import { newWork, START } from './project.ts';
import { emptyStage, newStage, type Stage } from './stage.ts';
import { dialogue } from './terminal.ts';

const ID = 'conversation';
const CLIENTS = ['claude', 'codex', 'gemini', 'opencode', 'cursor', 'vscode'] as const;
const HOOK_CLIENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
const DONE = { outputs: { notes: 'notes.md' } };

/** Runs a hook as a client does, and writes what it answers: its JSON with the texts unfolded. */
async function hookOn(
  page: Page,
  stage: Stage,
  client: string,
  moment: string,
  input: object,
): Promise<void> {
  const text = JSON.stringify({ session_id: ID, cwd: stage.root, ...input });
  const { stdout, stderr } = await runHook([client, moment], {
    cwd: stage.root,
    env: stage.env,
    input: text,
  });
  page.text(`$ deepwork hook ${client} ${moment}`);
  if (stdout !== '') page.value(JSON.parse(stdout));
  if (stderr !== '') page.text(stderr.replace(/^/gm, '! '));
  page.text(stdout === '' && stderr === '' ? '(nothing)\n' : '\n');
}

const STEPS = {
  draft: {
    inputs: [{ name: 'version', description: 'Which' }],
    outputs: {
      notes: {
        type: 'file',
        description: 'What is new',
        required: true,
        rules: [{ type: 'contains', value: 'bugs', message: 'Name the bugs' }],
      },
      more: 'files?',
    },
    checks: [{ name: 'spelling', run: 'true' }],
  },
  publish: {
    outputs: { page: 'file' },
    dependencies: ['draft'],
    inputs: [{ file: 'notes', from_step: 'draft' }],
    reports: { public: { type: 'boolean', description: 'Is it public?' } },
    reviews: [REVIEW],
  },
};

words('hooks', async (page) => {
  page.part('nothing is open');
  const quiet = newWork();
  for (const moment of ['start', 'stop', 'tool']) await hookOn(page, quiet, 'claude', moment, {});

  page.part('the capsule');
  const stage = newWork({
    steps: { draft: { ...STEPS.draft, inputs: [], checks: [] }, publish: STEPS.publish },
  });
  const env = { CLAUDE_CODE_SESSION_ID: ID };
  const agent = await stage.agent({ env });
  await agent.ok('start_workflow', { ...START, context: { version: '1.2' } });
  await hookOn(page, stage, 'claude', 'start', { source: 'startup' });
  stage.write('notes.md', 'Nothing.\n');
  await agent.ok('finished_step', DONE);
  await hookOn(page, stage, 'claude', 'start', { source: 'compact' });
  stage.write('notes.md', 'Three bugs.\n');
  await agent.ok('finished_step', DONE);
  await agent.ok('start_workflow', { ...START, goal: 'Something else' });
  await hookOn(page, stage, 'claude', 'start', { source: 'resume' });
  await agent.ok('abort_workflow', { explanation: 'x' });

  page.part('the capsule of entries');
  const approve = { name: 'go_ahead', question: 'Good?', show: ['list.list'] };
  const each = { name: 'each', items: 'list.list', step: 'port' };
  const loop = { name: 'until_green', steps: ['fix'], until: { when: { var: 'green' } }, max: 3 };
  const entries = newWork({
    entries: ['list', { for_each: each }, { loop }, ['one', 'two'], { approve }],
    steps: {
      list: { outputs: { list: 'file' } },
      port: { outputs: { notes: 'file' } },
      fix: {},
      one: {},
      two: {},
    },
    files: { 'list.json': '["one", "two"]' },
    inputs: {
      version: { description: 'Which one' },
      strict: { description: 'Is it?', type: 'boolean', required: false },
    },
    config: { team: { question_wait_seconds: 1 } },
  });
  const worker = await entries.agent({ env });
  await worker.ok('start_workflow', { ...START, inputs: { version: '1.2' } });
  await hookOn(page, entries, 'claude', 'start', {});
  await worker.ok('finished_step', { outputs: { list: 'list.json' } });
  await hookOn(page, entries, 'claude', 'start', {});
  await worker.ok('finished_step', { ...DONE, step_id: 'port#1' });
  await worker.ok('finished_step', { ...DONE, step_id: 'port#2' });
  await hookOn(page, entries, 'claude', 'start', {});
  await worker.ok('finished_step', { outputs: {} });
  await hookOn(page, entries, 'claude', 'start', {});
  await worker.ok('finished_step', { outputs: {}, context: { green: true } });
  await hookOn(page, entries, 'claude', 'start', {});
  await worker.ok('finished_step', { outputs: {} });
  await hookOn(page, entries, 'claude', 'start', {});
  await hookOn(page, entries, 'claude', 'stop', {});
  await hookOn(page, entries, 'claude', 'stop', {});

  const checked = newWork({
    steps: {
      draft: {
        outputs: { notes: 'file' },
        checks: [
          { name: 'spelling', run: 'true' },
          { name: 'tests', run: 'true' },
        ],
      },
    },
  });
  const checker = await checked.agent({ env, args: ['--trust'] });
  await checker.ok('start_workflow', START);
  await hookOn(page, checked, 'claude', 'start', {});

  page.part('long instructions');
  const long = newWork({ steps: { draft: { outputs: { notes: 'file' } } } });
  long.write('.deepwork/jobs/work/steps/draft.md', `${'Write much. '.repeat(1000)}\n`);
  const reader = await long.agent({ env });
  await reader.ok('start_workflow', START);
  const { stdout } = await runHook(['claude', 'start'], {
    cwd: long.root,
    env: long.env,
    input: JSON.stringify({ session_id: ID, cwd: long.root }),
  });
  page.text(
    JSON.parse(stdout).hookSpecificOutput.additionalContext.replaceAll(
      /(?:Write much\. ){5,}/g,
      'Write much. … ',
    ),
  );

  page.part('left behind by others');
  const left = newWork();
  await left.leave({ ...START, instance_id: 'one' });
  await left.leave({ ...START, goal: 'Another', instance_id: 'two' });
  await hookOn(page, left, 'claude', 'start', {});

  page.part('reminders');
  const lazy = newWork({
    steps: { draft: { ...STEPS.draft, inputs: [], checks: [] }, publish: STEPS.publish },
  });
  const idler = await lazy.agent({ env });
  await idler.ok('start_workflow', START);
  for (let nth = 1; nth <= 4; nth++) await hookOn(page, lazy, 'claude', 'stop', {});
  lazy.write('notes.md', 'Nothing.\n');
  await idler.ok('finished_step', DONE);
  await hookOn(page, lazy, 'claude', 'stop', {});

  page.part('each client');
  for (const client of HOOK_CLIENTS) {
    const own = newWork({ steps: { draft: { outputs: { notes: 'file' } } } });
    const ours = await own.agent({ env: client === 'claude' ? env : {} });
    await ours.ok('start_workflow', START);
    await hookOn(page, own, client, 'start', { source: 'startup' });
    await hookOn(page, own, client, 'stop', {});
    const file = own.path('.deepwork/journal/x');
    const patch = `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`;
    const tools: Readonly<Record<string, object>> = {
      claude: { tool_name: 'Write', tool_input: { file_path: file } },
      codex: { tool_name: 'apply_patch', tool_input: { command: patch } },
      gemini: { tool_name: 'write_file', tool_input: { file_path: file } },
      opencode: { tool_name: 'write', tool_input: { filePath: file } },
    };
    await hookOn(page, own, client, 'tool', tools[client] ?? {});
  }

  page.part('files that agents may not write');
  const guarded = newWork({ config: { clients: { protect_definitions: true } } });
  const runner = await guarded.agent({ env });
  await runner.ok('start_workflow', START);
  for (const file of [
    '.deepwork/journal/session/x.jsonl',
    '.deepwork/tmp/session_x.json',
    '.deepwork/jobs/work/steps/draft.md',
    `${guarded.home}/.deepwork/trust.d/x.json`,
    `${guarded.home}/.deepwork/signing.key`,
    `${guarded.home}/.deepwork/servers/a/1.json`,
    '.claude/settings.json',
    '.mcp.json',
    '.deepwork/config.yml',
    '.sgai/state.json',
  ]) {
    page.text(`write ${file}`);
    await hookOn(page, guarded, 'claude', 'tool', {
      tool_name: 'Write',
      tool_input: { file_path: file },
    });
  }

  page.part('what is no hook');
  for (const [client, moment, input] of [
    ['emacs', 'start', '{}'],
    ['claude', 'lunch', '{}'],
    ['claude', 'start', '{'],
    ['claude', 'start', '[]'],
  ] as const) {
    const ran = await runHook([client, moment], { cwd: stage.root, env: stage.env, input });
    page.text(
      `$ deepwork hook ${client} ${moment} < ${input}\n${ran.stdout}${ran.stderr.replace(/^(?=.)/gm, '! ')}[exit code ${ran.code}]\n`,
    );
  }
  page.text(readFileSync(path.join(stage.home, '.deepwork', 'hook.log'), 'utf8'));
});

function init(page: Page, stage: Stage, ...args: string[]) {
  return page.command(stage, ['init', ...args]);
}

/** The same without the lines of the files themselves. */
async function initBriefly(page: Page, stage: Stage, ...args: string[]) {
  const { stdout, stderr, code } = await page.command(stage, ['init', ...args], { shown: false });
  const brief = stdout.replaceAll(/(?:^(?:[-+ @]|… \d+ more).*\n)+/gm, '(…)\n');
  page.text(
    `$ deepwork init ${args.join(' ')}\n${brief}${stderr.replace(/^(?=.)/gm, '! ')}[exit code ${code}]\n\n`,
  );
}

words('init', async (page) => {
  for (const client of [...CLIENTS, 'none']) {
    page.part(client);
    const stage = emptyStage();
    if (client === 'claude')
      await init(page, stage, '--dry-run', '--clients', client, '--template', 'none');
    await init(page, stage, '--yes', '--clients', client, '--template', 'none');
    await init(page, stage, '--yes', '--clients', client, '--template', 'none');
    if (client === 'claude') await init(page, stage, '--undo', '--dry-run');
    await init(page, stage, '--undo', '--yes');
    await init(page, stage, '--undo', '--yes');
  }
  page.part('templates');
  for (const template of TEMPLATES) {
    const stage = emptyStage();
    await initBriefly(page, stage, '--yes', '--clients', 'none', '--template', template);
    page.text(filesIn(stage.root).join('\n'));
  }
  page.part('nothing chosen, nowhere to ask');
  await initBriefly(page, emptyStage());
  await initBriefly(page, emptyStage(), '--yes');

  page.part('questions');
  await dialogue(
    page,
    emptyStage(),
    ['init'],
    [
      ['Which clients?', 'emacs'],
      ['Which clients?', 'claude'],
      ['First job?', 'fancy'],
      ['First job?', 'none'],
      ['[y/N]', 'n'],
    ],
  );
  const asked = emptyStage();
  await dialogue(
    page,
    asked,
    ['init', '--clients', 'none'],
    [
      ['First job?', 'none'],
      ['[y/N]', 'y'],
    ],
  );
  await dialogue(page, asked, ['init', '--undo'], [['[y/N]', 'y']]);

  page.part('files of others');
  const own = emptyStage();
  own.write('.mcp.json', '{\n  // mine\n  "mcpServers": {"other": {}}\n}\n');
  own.write('.codex/config.toml', 'model = "x"\n');
  own.write('CLAUDE.md', '# Mine\n');
  await initBriefly(page, own, '--dry-run', '--clients', 'claude,codex', '--template', 'none');
  await initBriefly(page, own, '--yes', '--clients', 'claude,codex', '--template', 'none');
  await initBriefly(page, own, '--yes', '--clients', 'gemini', '--no-hooks', '--template', 'none');

  page.part('edited since');
  const edited = emptyStage();
  await page.command(
    edited,
    ['init', '--yes', '--clients', CLIENTS.join(','), '--template', 'bug_fix'],
    { shown: false },
  );
  const edit = (file: string, from: string, to: string) =>
    edited.write(file, readFileSync(edited.path(file), 'utf8').replace(from, to));
  edit('.claude/settings.json', 'hook claude stop', 'hook claude stop --mine');
  edit('.cursor/mcp.json', 'serve', 'SERVE');
  edit('.deepwork/config.yml', '# git:', 'git: # ');
  edit('.deepwork/jobs/bug_fix/job.yml', '1.0.0', '1.0.1');
  edited.write('.gemini/settings.json', '{');
  edited.write('.codex/config.toml', 'x');
  edited.write('.opencode/plugins/mine.js', 'export const A = 1;\n');
  await initBriefly(page, edited, '--undo', '--yes');

  page.part('in the way');
  const broken = emptyStage();
  broken.write('.mcp.json', '{ broken');
  broken.write('.codex/config.toml', 'x = [');
  broken.write('.cursor/mcp.json', '[]');
  broken.write('.vscode/mcp.json', '{"servers": 3}');
  broken.write('.gemini/settings.json', '\u0000');
  await initBriefly(page, broken, '--yes', '--clients', CLIENTS.join(','), '--template', 'none');
  const linked = emptyStage();
  const outside = emptyStage();
  symlinkSync(outside.root, linked.path('.claude'));
  symlinkSync('/nowhere/mcp.json', linked.path('.mcp.json'));
  await initBriefly(page, linked, '--yes', '--clients', 'claude', '--template', 'none');
  const other = emptyStage();
  other.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: { command: 'mine' } } }));
  await initBriefly(page, other, '--yes', '--clients', 'claude', '--template', 'none');
  const file = emptyStage();
  file.write('.deepwork', 'a file');
  await initBriefly(page, file, '--yes', '--clients', 'claude', '--template', 'blank');
  const taken = emptyStage();
  writeJob(taken, 'bug_fix', { a: {} }, { main: ['a'] });
  await initBriefly(page, taken, '--yes', '--clients', 'none', '--template', 'bug_fix');
  const record = emptyStage();
  await page.command(record, ['init', '--yes', '--clients', 'claude', '--template', 'none'], {
    shown: false,
  });
  record.write('.deepwork/init.json', '{');
  await initBriefly(page, record, '--undo', '--yes');
  await initBriefly(page, record, '--yes', '--clients', 'codex', '--template', 'none');
  const home = emptyStage();
  await page.command(home, ['init', '--yes'], { cwd: home.home });
  await page.command(home, ['init', '--yes', '--clients', 'none'], {
    env: { PATH: '/usr/bin:/bin' },
  });
});

function filesIn(root: string): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return names
    .filter((each) => each.isFile())
    .map((each) => path.relative(root, path.join(each.parentPath, each.name)))
    .sort();
}

/** Git of one version. */
const FIXED_GIT =
  '#!/bin/sh\ntest "$1" = --version && echo git version 2.40.0 || exec /usr/bin/git "$@"\n';

/** Answers doctor as deepwork does, at once. */
const standIn = (version: string) => `#!/bin/sh
cat > /dev/null
if [ "$1" = hook ]; then
  test "$3" != tool || echo '{"reason": "deepwork: no"}'
else
  echo '{"id": 1, "result": {"serverInfo": {"version": "${version}"}}}'
  echo '{"id": 2, "result": {"tools": [1, 2, 3]}}'
fi
`;

words('doctor', async (page) => {
  const git = emptyStage();
  git.write('bin/git', FIXED_GIT);
  git.write('bin/deepwork', standIn(VERSION));
  for (const name of ['git', 'deepwork']) chmodSync(git.path(`bin/${name}`), 0o755);
  const doctor = (
    stage: Stage,
    { PATH = stage.env.PATH, ...env }: Record<string, string> = {},
    terminal?: number,
  ) =>
    atPace(0, () =>
      page.command(stage, ['doctor'], {
        env: {
          ...env,
          PATH: `${PATH === stage.env.PATH ? '' : `${PATH}:`}${git.path('bin')}:${stage.env.PATH}`,
        },
        ...(terminal !== undefined && { terminal }),
      }),
    );
  page.part('nothing yet');
  await doctor(emptyStage());

  page.part('all good');
  const stage = newWork();
  newRepository(stage.root).git('commit', '--quiet', '--allow-empty', '-m', 'First');
  const agent = await stage.agent();
  await agent.ok('start_workflow', START);
  setUpClaude(stage, 'deepwork');
  await doctor(stage);
  await doctor(stage, {}, 60);

  page.part('journals');
  const id = (await agent.ok('get_active_workflow')).session_id;
  await agent.close();
  const stream = stage.path(`.deepwork/journal/session/${id}.jsonl`);
  const sound = readFileSync(stream, 'utf8');
  writeFileSync(stream, sound.replace(START.goal, 'Another goal'));
  rmSync(stage.path('.mcp.json'));
  rmSync(stage.path('.claude'), { recursive: true });
  await doctor(stage);
  await (await stage.agent()).call('get_active_workflow');
  await doctor(stage);
  const foreign = emptyStage();
  const key = path.join(stage.home, '.deepwork', 'signing.key');
  const bytes = readFileSync(key);
  const again = newWork();
  await (await again.agent()).ok('start_workflow', START);
  writeFileSync(key, Buffer.alloc(32, 7));
  await doctor(again);
  rmSync(key);
  await doctor(again);
  writeFileSync(key, bytes);
  await doctor(foreign);

  page.part('places');
  const inTheWay = newStage();
  inTheWay.write('.deepwork/tmp', 'in the way');
  await doctor(inTheWay);
  const linked = newStage();
  symlinkSync(foreign.root, linked.path('.deepwork/tmp'));
  await doctor(linked);
  const file = emptyStage();
  file.write('.deepwork', 'a file');
  await doctor(file);

  page.part('settings, definitions and trust');
  const wrong = newStage();
  wrong.write('.deepwork/config.yml', 'git: {branch: sometimes}\n');
  wrong.write('GOAL.md', '---\nmodls: {}\n---\n');
  wrong.write('.deepwork/jobs/demo/job.yml', 'name: [\n');
  await doctor(wrong);
  const waiting = newWork({
    steps: { draft: { outputs: { notes: 'file' }, checks: [{ name: 'tests', run: 'npm test' }] } },
  });
  await doctor(waiting);
  await doctor(waiting, { DEEPWORK_TRUST: '1' });
  const large = newStage();
  large.write('.deepwork/config.yml', '#'.repeat(2 * 1024 * 1024));
  await doctor(large);

  page.part('clients');
  const moved = newStage();
  setUpClaude(moved, '/moved/away/deepwork');
  moved.write('.codex/config.toml', '[mcp_servers.deepwork]\ncommand = "no-such-deepwork"\n');
  moved.write('.gemini/settings.json', '{');
  moved.write(
    '.cursor/mcp.json',
    JSON.stringify({ mcpServers: { deepwork: { url: 'http://127.0.0.1:9/mcp' } } }),
  );
  moved.write(
    '.vscode/mcp.json',
    JSON.stringify({ servers: { deepwork: { command: 'sh', args: ['-c', 'deepwork serve'] } } }),
  );
  moved.write(
    'opencode.json',
    JSON.stringify({ mcp: { deepwork: { type: 'local', command: ['./deepwork', 'serve'] } } }),
  );
  await doctor(moved);
  const silent = newStage();
  const programs = emptyStage();
  mkdirSync(programs.path('bin'));
  writeFileSync(programs.path('bin/deepwork'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  setUpClaude(silent, 'deepwork');
  const PATH = `${programs.path('bin')}:/usr/bin:/bin`;
  await doctor(silent, { PATH });
  writeFileSync(programs.path('bin/deepwork'), '#!/bin/sh\necho nonsense\nexit 3\n', {
    mode: 0o755,
  });
  await doctor(silent, { PATH });
  const hooksOnly = newStage();
  setUpClaude(hooksOnly, 'deepwork');
  rmSync(hooksOnly.path('.mcp.json'));
  await doctor(hooksOnly);

  git.write('bin/deepwork', standIn('0.0.1'));
  const older = newStage();
  setUpClaude(older, 'deepwork');
  await doctor(older);

  page.part('git');
  const versioned = newWork({ config: { git: { branch: 'create' } } });
  newRepository(versioned.root);
  await doctor(versioned);
  await page.command(versioned, ['doctor'], { env: { PATH: '/nowhere' }, shown: false });
  await doctor(newWork({ config: { git: { branch: 'create' } } }));
});
