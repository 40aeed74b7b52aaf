// A journal that lost something under a running server: deleted (`git clean -fdx`), cut, or replaced
// by an older copy. The journal on disk is the truth. The server reports once what happened, to the
// caller whose work it is, and continues from what is left.

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { journalKey } from '../../src/environment/signing-key.ts';
import { openFileJournal } from '../../src/journal/file.ts';
import type { Answer } from '../support/calls.ts';
import { connectToProcess } from '../support/connect.ts';
import { connectOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView, streamFile } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { inboxOf, LOG, newTeam, type Sit, STATE, WAYS } from '../team/support.ts';

const JOURNAL = '.deepwork/journal';

interface Server {
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  log(): string;
}

const SERVERS: readonly (readonly [string, (root: string) => Promise<Server>])[] = [
  ['stdio', (root) => connectToProcess(root)],
  [
    'HTTP',
    async (root) => {
      const { url, log } = await serveHttpInProcess(root);
      const client = await connectOverHttp(url);
      return {
        log,
        async call(tool, args = {}) {
          const result = await client.callTool({ name: tool, arguments: args });
          const [block] = result.content as { text: string }[];
          const isError = result.isError === true;
          return { isError, text: block?.text ?? '', data: result.structuredContent };
        },
      };
    },
  ],
];

const START = { goal: 'x', job_name: 'demo', workflow_name: 'main' };

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {}, c: {}, d: {} }, { main: ['a', 'b', 'c', 'd'] });
  return project;
}

/** The length of a file up to and with its n-th line. */
function lengthOf(file: string, lines: number): number {
  return readFileSync(file, 'latin1').split('\n').slice(0, lines).join('\n').length + 1;
}

describe.each(SERVERS)('a session over %s', (_, open) => {
  test('whose journal was deleted is lost, and work starts over', async () => {
    const project = newDemo();
    const { call, log } = await open(project.root);
    const id = (await call('start_workflow', START)).data.begin_step.session_id;
    await call('finished_step', { outputs: {} });
    for (const args of [{}, { session_id: id }]) {
      const session = (await call('start_workflow', START)).data.begin_step.session_id;
      removeFolder(project.path('.deepwork/journal'));
      removeFolder(project.path('.deepwork/tmp'));
      const named = 'session_id' in args ? { session_id: session } : {};
      const lost = await call('finished_step', { outputs: {}, ...named });
      expect(lost).toMatchObject({ isError: true });
      expect(lost.text).toMatch(
        /^The journal of session '\w{8}' \(demo\/main, step '[ab]'\) was deleted/,
      );
      expect(lost.text).toMatch(/git clean -fdx.*get_workflows/s);
      await until(() => log().includes(`session '${session}'`));
      const after = await call('finished_step', { outputs: {} });
      expect(after.text).toMatch(/^No active workflow session/);
    }
    const again = await call('start_workflow', START);
    expect(again.data).toMatchObject({ begin_step: { step_id: 'a' } });
    expect((await call('finished_step', { outputs: {} })).data.begin_step.step_id).toBe('b');
  });

  test('whose journal was cut or rolled back continues from what is left, and reports it', async () => {
    const project = newDemo();
    const { call, log } = await open(project.root);
    const id = (await call('start_workflow', START)).data.begin_step.session_id;
    const file = project.path(streamFile(id));
    await call('finished_step', { outputs: {} });
    copyFileSync(file, `${file}.old`);
    await call('finished_step', { outputs: {} });

    truncateSync(file, lengthOf(file, 2));
    // It is meant for step c, and must not finish step b.
    const cut = await call('finished_step', { outputs: {} });
    expect(cut).toMatchObject({ isError: true });
    expect(cut.text).toMatch(
      new RegExp(
        `^The journal of session '${id}' was changed while the server was running: it went back`,
      ),
    );
    expect(cut.text).toMatch(/step 'c'.*now ends with event 2 \(step 'b'\)/);
    await until(() => log().includes(`The journal of session '${id}' was changed`));
    expect((await call('get_active_workflow')).data.begin_step.step_id).toBe('b');
    expect((await call('finished_step', { outputs: {} })).data.begin_step.step_id).toBe('c');
    expect(readView(project, id)).toMatchObject({ revision: 3 });

    await call('finished_step', { outputs: {} });
    renameSync(`${file}.old`, file);
    const back = await call('get_active_workflow', { session_id: id });
    expect(back.text).toMatch(/it went back from event 4/);
    expect((await call('finished_step', { outputs: {} })).data.begin_step.step_id).toBe('c');
  });

  test('whose journal has other events of the same number is read again', async () => {
    const project = newDemo();
    const { call } = await open(project.root);
    const id = (await call('start_workflow', START)).data.begin_step.session_id;
    const file = project.path(streamFile(id));
    copyFileSync(file, `${file}.old`);
    await call('finished_step', { outputs: {} });
    renameSync(`${file}.old`, file);
    const other = openFileJournal(project.path(JOURNAL), { key: journalKey });
    const data = { explanation: 'by another process' };
    await other.append(`session/${id}`, 1, { type: 'aborted', at: new Date().toISOString(), data });
    const back = await call('finished_step', { outputs: {}, session_id: id });
    expect(back.text).toMatch(/now ends with event 2 \(aborted\)/);
    expect((await call('finished_step', { outputs: {} })).text).toMatch(/^No active workflow/);
  });
});

const send = (n: number) => ({ toAgent: 'a', body: `message ${n}` });

async function twoMessages(sit: Sit) {
  const project = newTeam({ a: [] });
  const boss = await sit(project.root, 'coordinator');
  await boss.says('send_message', send(1));
  copyFileSync(project.path(LOG), project.path(`${LOG}.old`));
  await boss.says('send_message', send(2));
  return { project, boss };
}

describe.each(WAYS)('a team over %s', (_, sit) => {
  test('whose journal was deleted continues from its state file, including ids', async () => {
    const { project, boss } = await twoMessages(sit);
    removeFolder(project.path(JOURNAL));
    const lost = await boss.fails('send_message', send(3));
    expect(lost).toMatch(/^Error: The team's journal was deleted while the server was running/);
    expect(await boss.says('send_message', send(3))).toContain('(ID: 3)');
    const a = await sit(project.root, 'a');
    expect(inboxOf(await a.says('check_inbox')).map(({ body }) => body)).toEqual(
      [1, 2, 3].map((n) => `message ${n}`),
    );
  });

  test('whose journal and state file were deleted starts empty', async () => {
    const { project, boss } = await twoMessages(sit);
    removeFolder(project.path(JOURNAL));
    rmSync(project.path(STATE));
    expect(await boss.fails('send_message', send(1))).toMatch(/journal was deleted/);
    expect(await boss.says('send_message', send(1))).toContain('(ID: 1)');
    expect(existsSync(project.path(STATE))).toBe(true);
  });

  test('whose journal was cut or rolled back continues from what is left', async () => {
    const { project, boss } = await twoMessages(sit);
    const log = project.path(LOG);
    const lines = readFileSync(log, 'utf8').split('\n').length - 1;
    truncateSync(log, lengthOf(log, lines - 1) + 40);
    const cut = await boss.fails('send_message', send(2));
    expect(cut).toMatch(/^Error: The team's journal was cut or replaced by an older copy/);
    expect(await boss.says('send_message', send(2))).toContain('(ID: 2)');
    await boss.says('send_message', send(3));
    renameSync(`${log}.old`, log);
    expect(await boss.fails('check_outbox')).toMatch(/cut or replaced by an older copy/);
    expect(await boss.says('send_message', send(2))).toContain('(ID: 2)');
  });
});
