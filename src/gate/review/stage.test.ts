// The review stage with a reviewer that is a real process.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import type { GateMember, GateRequest } from '../request.ts';
import { type Reviewed, reviewMembers } from './stage.ts';

function review(script: string, files: readonly string[], maxParallel: number): Promise<Reviewed> {
  const root = tempFolder();
  writeFileSync(path.join(root, 'review.sh'), script);
  for (const file of files) writeFileSync(path.join(root, file), file);
  const criteria = [{ name: 'good', text: 'Is it good?' }];
  const member: GateMember = {
    step: {
      ...toStep(plainStep('write', 'parts*!')),
      reviews: [{ runEach: 'parts', criteria, guidance: null }],
    },
    sharedNames: [],
    outputs: { parts: files },
    files: Object.fromEntries(files.map((file) => [file, `hash of ${file}`])),
    stamps: {},
  };
  const request: GateRequest = {
    root,
    env: {},
    sessionId: '00000001',
    members: [member],
    notes: null,
    overrideReason: null,
    mayOverride: async () => ({ kind: 'granted', reason: '', grant: null }),
    reviewCode: () => '',
    context: {},
    reviewer: { kind: 'off' },
    timeoutSeconds: 10,
    maxParallel,
    passed: [],
    signal: new AbortController().signal,
    progress: () => {},
    requireTrust: async () => {},
    checksBegin: async () => {},
    reviewsBegin: async () => {},
    place: async () => '',
  };
  return reviewMembers(request, { kind: 'command', command: 'sh review.sh' }, [member]);
}

/** Exits once as many reviewers as files have started. */
const WAITS_FOR_THE_OTHER = `
touch began.$$
while [ $(ls began.* | wc -l) -lt 2 ]; do sleep 0.02; done
echo '{"passed": true, "feedback": "ok"}'
`;

test('reviews run in parallel up to the limit', async () => {
  verifies('JOBS-X.15');
  const { passed, faults } = await review(WAITS_FOR_THE_OTHER, ['a.md', 'b.md'], 2);
  expect(faults).toEqual([]);
  expect(passed).toHaveLength(1);
});

test('the record of a failed member contains the feedback of each of its reviews', async () => {
  const said = '{"passed": false, "feedback": "too short", "criteria_results": null}';
  const { failed } = await review(`echo '${said}'`, ['a.md', 'b.md'], 1);
  expect(failed).toMatchObject([
    {
      step_id: 'write',
      stage: 'review',
      feedback:
        "a.md (review of 'parts': good): too short; b.md (review of 'parts': good): too short",
      details: [
        { target_file: 'a.md', feedback: 'too short' },
        { target_file: 'b.md', feedback: 'too short' },
      ],
    },
  ]);
});
