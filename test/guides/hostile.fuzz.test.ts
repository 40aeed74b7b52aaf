// Hostile input on a real server: corrupted JSON-RPC frames, many at once, and corrupted workflow
// files. Each frame that asks gets exactly one answer, each file is a guide or is reported, and
// nothing crashes or stalls.
//
// DEEPWORK_CASES sets how many frames (and, in `guides.fuzz.test.ts`, files) are tried:
// 100000 frames take about half a minute.

import { describe, expect, test } from 'vitest';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { initialize, openWire, type Reply, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { openPump, processorSeconds } from './frame-pump.ts';
import { FOLDER, guideProject, step, workflow } from './guide-project.ts';
import { mutate } from './mutate.ts';

const USUAL_CASES = 4000;
const CASES = Number(process.env.DEEPWORK_CASES ?? USUAL_CASES);
const CODES = [-32700, -32600, -32601, -32602, -32001];
/** Comes about once in a thousand frames, so a usual run may not have it at all. */
const RARE_CODE = -32003;
const FILES = Math.min(1000, CASES);
const BUNDLED = 3;
const AT_ONCE = 500;
/** In seconds. A batch takes less than one on an idle machine; what backtracks takes minutes. */
const MAX_STALL = 10;
const TIMEOUT_MS = 60_000 + 10 * CASES;

const GUIDE = workflow({
  steps: [
    step({ runCondition: { var: 'x.y', not_equals: 3 }, requireConfirmation: { var: 'z' } }),
    step({
      id: 'second',
      validationCriteria: [
        { type: 'regex', pattern: '(?i)ok', message: 'm' },
        { type: 'schema', schema: { type: 'object', required: ['a'] }, message: 'n' },
        { not: { type: 'contains', value: 'no', message: 'o' } },
      ],
    }),
  ],
});

const NEXT = {
  workflowId: 'demo',
  completedSteps: ['first'],
  currentStep: null,
  context: { x: { y: 1 } },
};
const VALIDATE = { workflowId: 'demo', stepId: 'second', output: '{"a": "ok"}', context: {} };
const tool = (name: string, args: object) => ['tools/call', { name, arguments: args }] as const;

const FRAMES = (
  [
    ['workflow_list', null],
    ['workflow_get', { id: 'demo' }],
    ['workflow_next', NEXT],
    ['workflow_validate', VALIDATE],
    tool('workflow_list', {}),
    tool('workflow_get', { workflowId: 'demo' }),
    tool('workflow_next', NEXT),
    tool('workflow_validate', VALIDATE),
    tool('get_active_workflow', {}),
    ['tools/list', {}],
    ['ping', {}],
  ] as const
).map(([method, params], id) => JSON.stringify(request(id, method, params)));

/** How many answers a line must get. */
function answersDue(line: string): 0 | 1 {
  if (line.trim() === '') return 0;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return 1;
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 1;
  const { jsonrpc, id, method, ...rest } = message as Record<string, unknown>;
  if (jsonrpc !== '2.0' || (id !== undefined && !isId(id, method))) return 1;
  if (method === undefined) return 'result' in rest || 'error' in rest ? 0 : 1;
  return typeof method === 'string' && id === undefined ? 0 : 1;
}

function isId(id: unknown, method: unknown): boolean {
  const isMcp = typeof method !== 'string' || method.includes('/') || method === 'ping';
  return typeof id === 'string' || (isMcp ? Number.isSafeInteger(id) : Number.isFinite(id));
}

function frames(count: number, dice: Random): string[] {
  return Array.from({ length: count }, () => mutate(dice.pick(FRAMES), dice));
}

describe('a server', () => {
  test('answers each corrupted frame once, and keeps serving', {
    timeout: TIMEOUT_MS,
  }, async () => {
    verifies('GUIDE-4', 'GUIDE-5');
    const dice = randomFrom(chooseSeed());
    const pump = openPump(guideProject({ demo: GUIDE }));
    await pump.feed([JSON.stringify(initialize('hello'))], 1);
    for (let left = CASES; left > 0; left -= AT_ONCE) {
      const lines = frames(Math.min(left, AT_ONCE), dice);
      const due = lines.reduce((sum, line) => sum + answersDue(line), 0);
      await pump.feed(lines, due);
      expect(pump.isAlive).toBe(true);
    }
    const before = pump.answers;
    await pump.feed([JSON.stringify(request('end', 'workflow_get', { id: 'demo' }))], 1);
    expect(pump.answers - before, 'answered twice').toBe(1);
    expect(pump.longestStall).toBeLessThan(MAX_STALL);
    expect(pump.codes.get(-32603)).toBeUndefined();
    // The corruption must reach the guides, and not only break the frames.
    if (CASES < USUAL_CASES) return;
    const wanted = CASES < 10_000 ? CODES : [...CODES, RARE_CODE];
    const missing = wanted.filter((code) => !pump.codes.has(code));
    expect(missing).toEqual([]);
  });

  test('reports each corrupted file or lists it, and serves others meanwhile', async () => {
    verifies('GUIDE-8', 'GUIDE-12');
    const dice = randomFrom(chooseSeed());
    const project = guideProject();
    for (let at = 0; at < FILES; at++) {
      const sound = JSON.stringify({ ...GUIDE, id: `guide-${at}` });
      project.write(`${FOLDER}/guide-${at}.json`, mutate(sound, dice));
    }
    const wire = openWire(project.root, undefined, { HOME: project.root });
    wire.send(initialize('hello'));
    await wire.next(1);
    wire.send(request('list', 'workflow_list', null));
    let listed: Reply | undefined;
    while (listed === undefined) {
      const began = { clock: performance.now(), processor: processorSeconds(wire.pid) };
      wire.send(request('other', 'workflow_destroy', null));
      const [reply] = await wire.next(1);
      const stall = Math.min(
        (performance.now() - began.clock) / 1000,
        processorSeconds(wire.pid) - began.processor,
      );
      expect(stall).toBeLessThan(MAX_STALL);
      if (reply?.id === 'list') listed = reply;
    }
    const { workflows, errors } = listed.result;
    const files = errors.map(({ file }: { file: string }) => file);
    expect(new Set(files).size + workflows.length - BUNDLED).toBe(FILES);
    expect(files.length).toBeGreaterThan(FILES / 2);
    for (const { code, problems } of errors) {
      expect(code).toBe(-32002);
      expect(problems.length).toBeGreaterThan(0);
    }
  });
});
