// Nothing that is edited during a run softens its gate silently: it is named and recorded, and if
// agents may not skip reviews, refused until it is restored or a person agrees.

import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { questionIn, type Run, type RunSpec, startRun } from '../language/entries.ts';
import { REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { REPORT } from './support.ts';

const LINT = { name: 'lint', run: 'exit 1' };
const STRICT: Readonly<Record<string, StepSpec>> = {
  write: { outputs: { report: 'file' }, checks: [LINT] },
  after: { outputs: { proof: 'file' }, reviews: [REVIEW] },
};
const SOFT = { ...STRICT, write: { outputs: { report: 'file' } } };
const BOTH = ['write', 'after'];
const SUB = { entries: ['sec'], steps: { sec: { outputs: { report: 'file' } } } };

function started(rule: string, more: Partial<RunSpec> = {}): Promise<Run> {
  const files = { 'report.md': 'R\n' };
  const gate = { overrides: rule };
  return startRun({ entries: BOTH, steps: STRICT, jobs: { sub: SUB }, files, gate, ...more });
}

function edit({ project }: Run, steps: RunSpec['steps'], entries: readonly unknown[] = BOTH): void {
  const workflow = { name: 'main', summary: 'All of it', steps: entries };
  writeJob(project, 'work', steps, {}, { workflows: [workflow] });
}

const NESTED = { run: { name: 'audit', job: 'sub', workflow: 'main' } };
const APPROVE = (more = {}) => ({
  approve: { name: 'ok', question: 'May we?', show: ['write.report'], ...more },
});
const LOOP = (max: number) => ({
  loop: { name: 'again', steps: ['after'], until: { when: { var: 'x' } }, max },
});

test.each<[string, RunSpec['steps'], string[], string | null]>([
  ['a check was removed', SOFT, BOTH, 'write'],
  [
    'a check was changed',
    { ...SOFT, write: { ...SOFT.write, checks: [{ ...LINT, run: 'true' }] } },
    BOTH,
    'write',
  ],
  [
    'an output is no longer required',
    { ...SOFT, after: { ...STRICT.after, outputs: { proof: 'file?' } } },
    BOTH,
    'after',
  ],
  ['a later step was removed', { ...SOFT, end: {} }, ['write', 'end'], 'after'],
])('agent: %s, which is named and recorded once', async (_what, steps, entries, step_id) => {
  const run = await started('agent');
  edit(run, steps, entries);
  const { status, warnings } = await run.finish(REPORT);
  expect(status).toBe('next_step');
  const weakened = run.events('gate_weakened');
  expect(weakened).toContainEqual(expect.objectContaining({ step_id }));
  for (const { what } of weakened) expect(warnings.join('\n')).toContain(what);
  await run.agent.call('finished_step', { outputs: { proof: 'report.md' } });
  expect(run.events('gate_weakened')).toHaveLength(weakened.length);
});

describe('never: the step waits until the definition is restored', () => {
  const PLAIN = { write: { outputs: { report: 'file' } }, after: {} };
  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ['an approval behind what it guards', ['write', APPROVE(), 'after'], [...BOTH, APPROVE()]],
    [
      'another question of an approval',
      ['write', APPROVE(), 'after'],
      ['write', APPROVE({ question: 'Nice weather?' }), 'after'],
    ],
    ['no nested run', ['write', NESTED, 'after'], BOTH],
    ['more passes of a loop', ['write', LOOP(1)], ['write', LOOP(100)]],
    ['the current step as the last one', BOTH, ['after', 'write']],
  ])('%s', async (_what, before, after) => {
    const run = await started('never', { entries: before, steps: PLAIN });
    edit(run, PLAIN, after);
    expect((await run.refusal(REPORT)).code).toBe('gate_weakened');
    edit(run, PLAIN, before);
    expect((await run.finish(REPORT)).warnings).toEqual([]);
  });

  test('also if the rule itself is loosened, or a later step put first for a go_to_step', async () => {
    const run = await started('never');
    edit(run, SOFT, ['after', 'write']);
    for (const rule of ['agent', 'never']) {
      run.project.write('.deepwork/config.yml', `quality_gate: {overrides: ${rule}}`);
      expect((await run.refusal(REPORT)).code).toBe('gate_weakened');
      const ahead = await run.agent.call('go_to_step', { step_id: 'after' });
      expect(ahead.data.error.code).toBe('gate_weakened');
    }
    expect(run.events('gate_weakened').length).toBeGreaterThan(0);
    edit(run, STRICT);
    expect((await run.finish(REPORT)).failed_criteria[0].criterion).toBe('lint');
  });
});

test('person: an edit while they are asked is a question of its own', async () => {
  const run = await started('person', {
    entries: ['write', APPROVE(), 'after'],
    steps: { write: { outputs: { report: 'file' } }, after: {} },
  });
  await run.finish(REPORT);
  const approval = questionIn(await run.finish({}));
  edit(run, { write: { outputs: { report: 'file' } } }, ['write', APPROVE()]);
  await run.person(approval, '--choose', 'Approve');
  const question = questionIn(await run.finish({}));
  expect(question).not.toBe(approval);
  await run.person(question, '--choose', 'Grant');
  expect((await run.finish({})).status).toBe('workflow_complete');
});

test('person: only a person grants it, for this weakening and this time', async () => {
  const client = { capabilities: { elicitation: { form: {} } } };
  const run = await started('person', { options: { client } });
  const shown = fillIn(run.agent.client);
  edit(run, SOFT);
  const first = questionIn(await run.finish(REPORT));
  // Filled in by the agent for a question of its own that reads alike.
  const { stdout } = await run.deepwork('status', '--json');
  const { text } = JSON.parse(stdout).questions[0];
  const questions = [{ question: text, choices: ['Grant', 'Refuse'], multiSelect: false }];
  await run.agent.client.callTool({ name: 'ask_user_question', arguments: { questions } });
  expect(shown).toHaveLength(1);
  expect(questionIn(await run.finish(REPORT))).toBe(first);
  await run.person(first, '--choose', 'Grant');
  expect((await run.finish(REPORT)).status).toBe('next_step');
  expect(run.events('gate_weakened').at(-1)).toMatchObject({
    granted: { question: first, by: 'ann' },
  });

  const proof = { proof: 'report.md' };
  edit(run, STRICT);
  expect((await run.finish(proof)).reason).toBe('self_review');
  edit(run, SOFT);
  const second = questionIn(await run.finish(proof));
  expect(second).not.toBe(first);
  await run.person(second, '--choose', 'Refuse');
  const refused = await run.refusal(proof);
  expect(refused).toMatchObject({ code: 'gate_weakened' });
  expect(refused.message).toContain(second);
});

/** Accepts every form, as no person does, and lists what was shown. */
function fillIn(client: Client): string[] {
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params.message);
    return { action: 'accept', content: { choice: 'Grant' } };
  });
  return shown;
}
