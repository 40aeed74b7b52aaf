// Loading any file ends with a job or with problems, each of which is on one line and has a
// position.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jobYml, loadJob, writeJob } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';

/** Each run writes and loads a real file, so there are far fewer than for pure code. */
const RUNS = Math.min(Number(process.env.DEEPWORK_CASES ?? 120), 5000);
const TIMEOUT_MS = 120_000;

const VALID = jobYml({
  a: `    reviews: [{run_each: notes.md, quality_criteria: {c: d}}]
    checks: [{name: t, run: make}]
    when: {var: x, equals: 1}`,
  b: `    inputs: [{file: notes.md, from_step: a}]
    dependencies: [a]
    reviews: []`,
});

/** Fragments that have a meaning in YAML or in a job. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\n',
      '  ',
      '- ',
      ': ',
      ',',
      '[',
      ']',
      '{',
      '}',
      '&x ',
      '*x',
      '!t ',
      '"',
      "'",
      '#',
    ],
    ...[
      '|\n',
      '>\n',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '? ',
      '~',
      '\t',
      '\r',
      '\0',
      '\ufeff',
      '<<: ',
    ],
    ...[
      'a',
      'b',
      'step',
      'yes',
      '1.0',
      '[]',
      '{}',
      '__proto__',
      '../a.md',
      'steps:',
      'outputs: [x]',
    ],
  ),
  fc.string({ maxLength: 8 }),
);

const edit = fc.record({ at: fc.nat(VALID.length), drop: fc.nat(30), put: piece });

async function judge(dir: string, content: string | Uint8Array): Promise<void> {
  writeFileSync(join(dir, 'job.yml'), content);
  const loaded = await loadJob(dir);
  const reported = loaded.kind === 'job' ? loaded.warnings : loaded.problems;
  if (loaded.kind === 'broken') expect(reported.length).toBeGreaterThan(0);
  expect(Buffer.byteLength(reported.join('\n'))).toBeLessThan(4096);
  for (const [index, line] of reported.entries()) {
    const last = index === reported.length - 1 && /^and (at least )?\d+ more problems?$/.test(line);
    if (!last) expect(line).toMatch(/^[^\n\r]+ \(line [1-9]\d*, column [1-9]\d*\)$/);
  }
}

it(
  'judges any edit of a valid job',
  async () => {
    verifies('JOBS-X.3');
    const dir = writeJob(tempFolder(), 'demo', VALID);
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let text = VALID;
        for (const { at, drop, put } of edits)
          text = text.slice(0, at) + put + text.slice(at + drop);
        await judge(dir, text);
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

it(
  'judges any bytes',
  async () => {
    const dir = writeJob(tempFolder(), 'demo', VALID);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => judge(dir, bytes)),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

it(
  'judges any value in place of any part',
  async () => {
    const dir = writeJob(tempFolder(), 'demo', VALID);
    const lines = VALID.split('\n');
    const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json));
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), value, async (index, json) => {
        const changed = [...lines];
        changed[index] = (lines[index] ?? '').replace(/:.*$/, `: ${json}`);
        await judge(dir, changed.join('\n'));
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);
