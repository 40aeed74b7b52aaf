// A journal that was altered behind the server's back. The stream is reported and set aside with
// every byte it had; other sessions continue as if nothing had happened.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { command } from '../support/command.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView, streamFile } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {}, c: {}, d: {} }, { main: ['a', 'b', 'c', 'd'] });
  return project;
}

/** A session with three events: started, a done, b done. */
async function threeEvents(server: Connection): Promise<string> {
  const start = { goal: 'The goal', job_name: 'demo', workflow_name: 'main' };
  const id = (await server.ok('start_workflow', start)).begin_step.session_id;
  await server.ok('finished_step', { outputs: {}, session_id: id });
  await server.ok('finished_step', { outputs: {}, session_id: id });
  return id;
}

/** Changes a stream's file; returns its new bytes. */
function alter(project: Project, id: string, change: (lines: string[]) => string[]): Buffer {
  const file = project.path(streamFile(id));
  const lines = readFileSync(file, 'latin1').split('\n');
  writeFileSync(file, change(lines).join('\n'), 'latin1');
  return readFileSync(file);
}

function keptAside(project: Project): Buffer[] {
  const folder = project.path('.deepwork/journal/damaged');
  return readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`));
}

const ALTERATIONS: [string, (lines: string[]) => string[]][] = [
  [
    'a letter changed',
    ([a, b, c, ...rest]) => [a, b?.replace('"arrival":1', '"arrival":7'), c, ...rest] as string[],
  ],
  ['a line lost', ([a, , c, ...rest]) => [a, c, ...rest] as string[]],
  ['zeros in the middle', ([a, , c, ...rest]) => [a, '\0'.repeat(300), c, ...rest] as string[]],
  ['the beginning lost', ([, b, c, ...rest]) => [b, c, ...rest] as string[]],
];

describe('a damaged stream', () => {
  test('is set aside completely and reported, whatever was altered', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const hurt: { how: string; id: string; change: (lines: string[]) => string[] }[] = [];
    for (const [how, change] of ALTERATIONS) {
      hurt.push({ how, id: await threeEvents(first), change });
    }
    const well = await threeEvents(first);
    await first.close();
    const before = readFileSync(project.path(streamFile(well)));
    const altered = hurt.map(({ id, change }) => alter(project, id, change));

    const second = await connectToProcess(project.root);
    // The other session is the only one left, and is taken over without an id.
    const answer = await second.ok('finished_step', { outputs: {} });
    expect(answer.begin_step).toMatchObject({ session_id: well, step_id: 'd' });
    expect(answer.stack).toMatchObject([{ workflow: 'demo/main', step: 'd' }]);
    expect(readFileSync(project.path(streamFile(well))).subarray(0, before.length)).toEqual(before);

    for (const { how, id } of hurt) {
      expect(second.log(), how).toMatch(new RegExp(`${id}.*damaged`));
      for (const [tool, args] of [
        ['finished_step', { outputs: {} }],
        ['get_active_workflow', {}],
        ['abort_workflow', { explanation: 'x' }],
      ] as const) {
        const refused = await second.call(tool, { ...args, session_id: id });
        expectRefusal(
          refused,
          new RegExp(`^Session '${id}'.*damaged.*kept as \\.deepwork/journal/damaged/`),
        );
      }
    }
    const inOrder = (files: readonly Buffer[]) => [...files].sort(Buffer.compare);
    expect(inOrder(keptAside(project))).toEqual(inOrder(altered));
  });

  test.each([
    [
      'a letter changed',
      (lines: string[]) => lines.map((line) => line.replace('The goal', 'Our goal')),
    ],
    ['overwritten', (lines: string[]) => lines.map((line) => line.replace(/./g, 'x'))],
    ['rubbish behind it', (lines: string[]) => [...lines.slice(0, -1), 'rubbish', '']],
  ])('is noticed by a server that knew the session before: %s', async (_, change) => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const hurt = await threeEvents(server);
    const view = readView(project, hurt);
    const altered = alter(project, hurt, change);
    const refused = await server.call('finished_step', { outputs: {}, session_id: hurt });
    expectRefusal(refused, new RegExp(`^Session '${hurt}'.*damaged`));
    expect(keptAside(project)).toEqual([altered]);
    expect(readView(project, hurt)).toEqual(view);
    // Work continues: a new session is not affected.
    await threeEvents(server);
    expect((await server.ok('finished_step', { outputs: {} })).stack).toMatchObject([
      { workflow: 'demo/main', step: 'd' },
    ]);
  });

  test('is named if no work is found, also after a restart, with the command that helps', async () => {
    verifies('JOBS-X.20', 'JOBS-X.22');
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const hurt = await threeEvents(first);
    await first.close();
    alter(project, hurt, ([a, , c, ...rest]) => [a, c, ...rest] as string[]);
    const told = new RegExp(`Session '${hurt}' cannot be read: .*damaged.*deepwork repair`);
    for (const _ of ['the server that finds it', 'the next one']) {
      const server = await connect(project.root);
      const seen = await server.ok('get_active_workflow');
      expect(seen).toMatchObject({ active: false, orphans: [] });
      expect(seen.warnings.join()).toMatch(told);
      const refused = await server.call('finished_step', { outputs: {} });
      expect(expectRefusal(refused, /^No active workflow session/)).toMatch(told);
      await server.close();
    }
    const repair = await command(['repair', '--path', project.root], {
      cwd: project.root,
      env: cleanEnv(os.homedir()),
    });
    expect(repair.stdout).toMatch(new RegExp(`session/${hurt} .*damaged/session\\.${hurt}`));
    expect(repair.stdout).not.toContain('Nothing to repair');
  });

  test('that had ended is not named', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await threeEvents(server);
    await server.ok('abort_workflow', { explanation: 'Enough', session_id: id });
    alter(project, id, ([a, , ...rest]) => [a, ...rest] as string[]);
    const next = await connect(project.root);
    expect((await next.ok('get_active_workflow')).warnings).toEqual([]);
    expect(keptAside(project)).toHaveLength(1);
  });

  test('a stream that is cut under a running server does not make it spin', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await threeEvents(server);
    alter(project, id, ([a, b]) => [a as string, (b as string).slice(0, 80)]);
    const answer = await server.call('finished_step', { outputs: {}, session_id: id });
    // Whatever the reason it gives, it is not too many writers.
    expect(answer.text).not.toContain('too many writers');
  });

  test('a truncated last line is no damage: the session continues before it', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    const id = await threeEvents(first);
    await first.close();
    alter(project, id, ([a, b, c]) => [a as string, b as string, (c as string).slice(0, 80)]);

    const second = await connectToProcess(project.root, { closeAfterTest: false });
    const active = await second.ok('get_active_workflow');
    expect(active).toMatchObject({ session_id: id, begin_step: { step_id: 'b' } });
    const answer = await second.ok('finished_step', { outputs: {} });
    expect(answer.begin_step.step_id).toBe('c');
    expect((await second.ok('finished_step', { outputs: {} })).begin_step.step_id).toBe('d');
    await second.close();
    const third = await connect(project.root);
    expect((await third.ok('get_active_workflow')).begin_step.step_id).toBe('d');
  });

  test('foreign files in the journal are not touched', async () => {
    verifies('JOBS-X.20');
    const project = newDemo();
    const strangers = ['session/notes.txt', 'session/UPPER.jsonl', 'readme.md'];
    for (const name of strangers) project.write(`.deepwork/journal/${name}`, 'Not yours\n');
    const server = await connect(project.root);
    expect(await server.ok('get_active_workflow')).toMatchObject({ active: false, orphans: [] });
    await threeEvents(server);
    for (const name of strangers) {
      expect(readFileSync(project.path(`.deepwork/journal/${name}`), 'utf8')).toBe('Not yours\n');
    }
  });
});
