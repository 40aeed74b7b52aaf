// A scripted liar: claims that a step is done, hundreds of times, in every way it can think of,
// and it never is. The step needs a word that a rule checks, one that a check checks and one that
// a reviewer checks; no file of the liar's has all three at the moment it is judged.

import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REVIEW } from '../support/project.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { override, REPORT, startWork } from './support.ts';

const WORDS = ['LAWFUL', 'CHECKED', 'REVIEWED'];
const REVIEWER = `#!/bin/sh
if sed -n '/BEGIN OUTPUTS/,/END OUTPUTS/p' | grep -q REVIEWED
then echo '{"passed": true, "feedback": "ok"}'
else echo '{"passed": false, "feedback": "not REVIEWED"}'
fi
`;
const TRIES = Number(process.env.DEEPWORK_LIES ?? 100);

test(`never gets past a step in ${TRIES} tries`, { timeout: 300_000 }, async () => {
  verifies('JOBS-X.9', 'JOBS-X.11', 'JOBS-REQ-001.4.9', 'JOBS-REQ-001.4.13');
  const { chance, pick, below } = randomFrom(chooseSeed());

  const report = {
    type: 'file',
    description: 'The report',
    required: true,
    rules: [{ type: 'contains', value: 'LAWFUL', message: 'not LAWFUL' }],
  };
  const run = await startWork({
    step: {
      outputs: { report },
      checks: [{ name: 'checked', run: 'grep -q CHECKED report.md' }],
      reviews: [REVIEW],
    },
    files: { 'other.md': 'LAWFUL\n', 'review.sh': REVIEWER },
    gate: { agent_review_command: './review.sh', default_max_attempts: 3 },
    prepare: (project) => chmodSync(project.path('review.sh'), 0o755),
  });
  const { project, agent, session } = run;

  const file = project.path('report.md');
  const lie = () => {
    const missing = pick(WORDS);
    const words = WORDS.filter((word) => word !== missing && chance(0.9));
    writeFileSync(file, `${words.join(' ')} ${below(1000)}\n`);
  };
  const call = () => {
    const outputs = pick<unknown>([
      { report: 'report.md' },
      { report: 'report.md' },
      { report: './report.md' },
      ['report.md'],
      { report: 'other.md' },
      { report: 'nothing.md' },
      {},
    ]);
    return agent.call('finished_step', {
      outputs,
      ...(chance(0.3) ? { notes: 'LAWFUL CHECKED REVIEWED' } : {}),
      ...(chance(0.3) ? { quality_review_override_reason: pick(['', '  ', '\n\t']) } : {}),
      ...(chance(0.2) ? { step_id: pick(['write', 'after']) } : {}),
      ...(chance(0.2) ? { session_id: session } : {}),
      ...(chance(0.1) ? { context: { LAWFUL: true, report: 'REVIEWED' } } : {}),
    });
  };

  lie();
  const before = { calls: 0, races: 0 };
  while (before.calls < TRIES) {
    const wave = chance(0.2) ? 1 + below(4) : 1;
    const answers = Array.from({ length: wave }, () => call());
    if (chance(0.3)) {
      // Shows each judge what it wants to see, and swaps it while they look.
      before.races++;
      for (let swap = 0; swap < 6; swap++) {
        await new Promise((resolve) => setTimeout(resolve, below(12)));
        lie();
      }
    }
    for (const { isError, data } of await Promise.all(answers)) {
      before.calls++;
      if (!isError) expect(data.status).toBe('needs_work');
    }
    if (chance(0.5)) lie();
    else if (chance(0.2)) appendFileSync(file, 'more\n');
  }
  expect(run.view()).toMatchObject({ current_step_id: 'write', last_accepted: null });

  // The honest way past a reviewer: the work meets rules and checks, and gives a reason.
  writeFileSync(file, 'LAWFUL CHECKED\n');
  const reason = 'My user has read it';
  expect((await run.finish(REPORT, override(reason))).status).toBe('next_step');
  expect(run.events('review_overridden')).toMatchObject([{ reason }]);
  console.log(`liar: ${before.calls} calls, ${before.races} races`);
});
