// `kill -9` in a workflow with every kind of entry in one another: lists, loops, approvals, nested
// runs with loops of their own. A server dies just before a random change of its journal, again and
// again; the agent makes the same call once more, or asks where the work stands. However often that
// happens, what is on record in the end is what a run without kills leaves: nothing is lost, nothing
// is there twice, and no one was asked twice. DEEPWORK_ENTRY_KILLS for more kills (300 take some
// minutes), DEEPWORK_SEED draws the same numbers again.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import type { Project } from '../support/project.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { type Answered, entriesProject, questionIn, START } from './entries.ts';

const KILLS = Number.parseInt(process.env.DEEPWORK_ENTRY_KILLS ?? '', 10) || 4;
const MAX_MS_PER_KILL = 6000;
const MAX_CALLS = 400;
/** Of the journal, before a server dies: more, and a run has fewer kills. */
const MAX_CHANGES = KILLS > 4 ? 24 : 36;
const KILLER = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));

const SUB = (name: string) => ({ run: { name, job: 'other', workflow: 'main' } });
const APPROVE = (name: string, show: string) => ({
  approve: { name, question: 'Good?', show: [show] },
});

function newWork(): Project {
  return entriesProject({
    entries: [
      'plan',
      { for_each: { name: 'each', items: 'plan.modules', step: 'migrate', max_parallel: 2 } },
      {
        loop: {
          name: 'rounds',
          max: 1,
          until: { when: { var: 'done' } },
          steps: ['fix', SUB('sub'), APPROVE('look_at', 'fix.report')],
        },
      },
      APPROVE('go_ahead', 'plan.modules'),
      SUB('final'),
    ],
    steps: {
      plan: { outputs: { modules: 'file' } },
      migrate: { outputs: { diff: 'file' } },
      fix: {
        outputs: { report: 'file' },
        reports: { done: { type: 'boolean', description: 'Is it?' } },
      },
    },
    jobs: {
      other: {
        entries: [
          {
            loop: {
              name: 'green',
              max: 3,
              steps: ['try'],
              until: { check: { name: 'enough', run: 'grep -q 2 try.txt', timeout_seconds: 20 } },
            },
          },
          'note',
        ],
        steps: { try: { outputs: { tried: 'file' } }, note: {} },
      },
    },
    files: { 'plan.json': '["a", "b", "c"]', 'diff.txt': 'a diff' },
  });
}

/**
 * What the agent hands in for a step, as it is put before it. In a loop it names no step: a call that
 * does means the current pass, even if it is made once more because its answer was lost.
 */
function workFor(project: Project, { step_id, loop }: Answered): Record<string, unknown> {
  const pass = loop?.pass ?? 0;
  switch (step_id.split('#')[0]) {
    case 'plan':
      return { outputs: { modules: 'plan.json' } };
    case 'migrate':
      return { outputs: { diff: 'diff.txt' }, step_id };
    case 'fix':
      project.write('report.md', `Pass ${pass}\n`);
      return { outputs: { report: 'report.md' }, context: { done: pass > 1 } };
    case 'try':
      project.write('try.txt', `Pass ${pass}\n`);
      return { outputs: { tried: 'try.txt' } };
    default:
      return { outputs: {} };
  }
}

interface Life {
  readonly project: Project;
  readonly home: string;
  /** What makes all servers the same client; without it each is a stranger that takes over. */
  readonly client: Readonly<Record<string, string>>;
  /** After how many changes of the journal the next server dies; null: it lives. */
  readonly dies: () => number | null;
  readonly asks: () => boolean;
}

interface Told {
  readonly kills: number;
  readonly trace: readonly string[];
  readonly questions: readonly string[];
}

async function live({ project, home, client, dies, asks }: Life): Promise<Told> {
  let kills = 0;
  const questions = new Set<string>();
  let server: Connection | null = null;
  const again = async (): Promise<Connection> => {
    const at = dies();
    if (at === null)
      return connect(project.root, { args: ['--trust'], env: { HOME: home, ...client } });
    const env = {
      HOME: home,
      ...client,
      NODE_OPTIONS: `--require ${KILLER}`,
      DEEPWORK_KILL_AT: String(at),
      DEEPWORK_KILL_IN: project.path('.deepwork/journal'),
    };
    return connectToProcess(project.root, { args: ['--trust'], env, closeAfterTest: false });
  };
  /** Null: the server died. */
  const attempt = async (tool: string, args: Record<string, unknown>): Promise<Answered | null> => {
    try {
      server ??= await again();
      return await server.ok(tool, args);
    } catch (error) {
      const isDead = !/was refused/.test((error as Error).message);
      if (!isDead) throw error;
      kills += 1;
      await server?.close().catch(() => {});
      server = null;
      return null;
    }
  };
  /** Until there is an answer; a client that lost one may also ask where the work stands. */
  const call = async (tool: string, args: Record<string, unknown>): Promise<Answered> => {
    for (let tries = 0; tries < MAX_CALLS; tries += 1) {
      const answer = await attempt(tool, args);
      if (answer !== null) return answer;
      if (!asks()) continue;
      const active = await attempt('get_active_workflow', {});
      if (active?.active) return { status: 'next_step', begin_step: active.begin_step };
    }
    throw new Error('no server lived long enough');
  };

  let answer = await call('start_workflow', START);
  let args: Record<string, unknown> = {};
  for (let calls = 0; answer.status !== 'workflow_complete'; calls += 1) {
    if (calls > MAX_CALLS) throw new Error(`no end: ${JSON.stringify(answer)}`);
    if (answer.status === 'needs_work' && answer.reason === 'waiting_for_person') {
      const question = /q-\d+/.test(answer.feedback) ? questionIn(answer) : null;
      if (question !== null) await answerAsPerson(project, home, question);
      if (question !== null) questions.add(question);
    } else args = workFor(project, answer.begin_step);
    answer = await call('finished_step', args);
  }
  await (server as Connection | null)?.close();
  return { kills, trace: traceOf(project), questions: [...questions] };
}

async function answerAsPerson(project: Project, home: string, question: string): Promise<void> {
  const how = { cwd: project.root, env: { HOME: home } };
  const say = (choice: string) =>
    command(['answer', question, '--choose', choice, '--by', 'ann', '--path', project.root], how);
  // Which of the two it is, the choices say. It may be answered already: the answer was lost.
  const approved = await say('Approve');
  const ran = approved.code === 2 ? await say('One pass more') : approved;
  expect([0, 3], ran.stderr).toContain(ran.code);
}

const NOT_WORK = /^(adopted|checking|checks_stopped)/;

/** What every session has on record, without what a restart adds. */
function traceOf(project: Project): string[] {
  const folder = project.path('.deepwork/tmp');
  const views = readdirSync(folder).filter((file) => /^session_[0-9a-f]{8}\.json$/.test(file));
  return views
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
    .map(({ job_name, status, history }) => {
      const events = history
        .map(({ event, step_id, pass }: Answered) => `${event} ${step_id} ${pass ?? ''}`.trim())
        .filter((each: string) => !NOT_WORK.test(each));
      return `${job_name} ${status}: ${events.join(', ')}`;
    })
    .sort();
}

test(`${KILLS} kills among entries of every kind lose nothing, repeat nothing and ask no one twice`, {
  timeout: 120_000 + KILLS * MAX_MS_PER_KILL,
}, async () => {
  verifies('LANG-3', 'LANG-4', 'LANG-5', 'LANG-6');
  const seed = chooseSeed();
  const home = newHome();
  const client = { CLAUDE_CODE_SESSION_ID: 'one-client' };
  const never = { dies: () => null, asks: () => false };
  const undisturbed = await live({ project: newWork(), home, client, ...never });
  expect(undisturbed.trace).toHaveLength(4);
  expect(undisturbed.questions).toEqual(['q-1', 'q-2', 'q-3', 'q-4']);
  let kills = 0;
  let runs = 0;
  const lane = async (own: Life['client'], random: Random) => {
    while (kills < KILLS) {
      const dies = () => random.between(1, MAX_CHANGES);
      const asks = () => random.chance(0.3);
      const told = await live({ project: newWork(), home, client: own, dies, asks });
      expect(told.trace, JSON.stringify(own)).toEqual(undisturbed.trace);
      // Those that it was told of; a question may have been answered while a server was down.
      expect(['q-1', 'q-2', 'q-3', 'q-4']).toEqual(expect.arrayContaining([...told.questions]));
      kills += told.kills;
      runs += 1;
    }
  };
  await Promise.all([lane(client, randomFrom(seed)), lane({}, randomFrom(seed + 1))]);
  console.log(`DEEPWORK_SEED=${seed}: ${kills} kills in ${runs} runs`);
});
