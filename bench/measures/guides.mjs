// Guides: the cost of a call with many definitions, and of an edit. If the folder can be
// watched, a call checks only touched files and the one it needs. A listing shows all of them,
// so there the cost per definition must not grow.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compared, limited } from '../rows.mjs';
import { sampleInTurns, summarize } from '../samples.mjs';
import { startServer } from '../wire.mjs';

const MANY = 1000;
const FEW = 10;
const ROUNDS = 300;
const EDITS = 60;
/** Longer than a library needs before it relies on a file that was just written. */
const SETTLING_MS = 300;
const MAX_MS_AFTER_EDIT = 20;
const BOUND = { must: 1.3 };
const FOLDER = path.join('.deepwork', 'workflows');

/** @param {import('../stage.mjs').Stage} stage */
export async function measureGuides(stage) {
  const many = writeGuides(stage.folder('many-guides'), MANY);
  const few = writeGuides(stage.folder('few-guides'), FEW);
  await pause(SETTLING_MS);
  const large = startServer(stage.ours(many));
  const small = startServer(stage.ours(few));
  try {
    await Promise.all([large.shakeHands(), small.shakeHands()]);
    await Promise.all([large.call('workflow_list'), small.call('workflow_list')]);
    const rows = [];
    for (const [tool, input] of calls('guide-0005')) {
      const pair = await sampleInTurns({
        rounds: ROUNDS,
        warmUp: ROUNDS / 3,
        ours: () => large.timeCall(tool, input),
        reference: () => small.timeCall(tool, input),
      });
      rows.push(compared(`${tool}, ${MANY} guides`, `${FEW} guides`, pair, BOUND));
    }
    const lists = await sampleInTurns({
      rounds: 40,
      warmUp: 10,
      ours: async () => (await large.timeCall('workflow_list')) / MANY,
      reference: async () => (await small.timeCall('workflow_list')) / FEW,
    });
    rows.push(compared(`workflow_list, a guide of ${MANY}`, `a guide of ${FEW}`, lists, BOUND));
    const edits = summarize(await timeEdits(large, many));
    rows.push(
      limited(`next call after an edit, ${MANY} guides`, 'ms', edits.median, MAX_MS_AFTER_EDIT),
    );
    return rows;
  } finally {
    await Promise.all([large.kill(), small.kill()]);
  }
}

/**
 * @param {string} workflowId
 * @returns {[string, object][]}
 */
function calls(workflowId) {
  return [
    ['workflow_get', { id: workflowId }],
    ['workflow_next', { workflowId, completedSteps: ['plan'], context: { size: 2 } }],
    ['workflow_validate', { workflowId, stepId: 'build', output: 'Built it, and tested it.' }],
  ];
}

/** An edit of any file must show in the next call. */
async function timeEdits(server, project) {
  const times = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const number = (edit * 37) % MANY;
    const name = `Edited ${edit}`;
    writeGuide(project, number, name);
    const began = performance.now();
    const { name: seen } = await server.call('workflow_get', { id: idOf(number) });
    times.push(performance.now() - began);
    if (seen !== name) throw new Error(`edit ${edit} was not seen: ${seen}`);
  }
  return times;
}

function writeGuides(root, count) {
  mkdirSync(path.join(root, FOLDER), { recursive: true });
  for (let number = 0; number < count; number++) writeGuide(root, number, `Guide ${number}`);
  return root;
}

function writeGuide(root, number, name) {
  const id = idOf(number);
  const guide = {
    id,
    name,
    description: 'Plans, builds and checks a small change',
    version: '1.0.0',
    category: 'development',
    steps: ['plan', 'build', 'check'].map((step) => ({
      id: step,
      title: `The step ${step}`,
      prompt: `Do what ${step} asks for.\n${'Read, think, write it down.\n'.repeat(20)}`,
      runCondition: { var: 'size', not_equals: step.length },
      validationCriteria: [
        { type: 'contains', value: 'it', message: 'Say what it is about' },
        { type: 'regex', pattern: '(?i)test', message: 'Say how it was tested' },
      ],
    })),
  };
  writeFileSync(path.join(root, FOLDER, `${id}.json`), JSON.stringify(guide, null, 2));
}

function idOf(number) {
  return `guide-${String(number).padStart(4, '0')}`;
}
