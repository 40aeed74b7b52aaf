// Hostile input on a real server: corrupted JSON-RPC frames, many at once, and corrupted workflow files.
// Each frame that asks gets exactly one answer, each file is a guide or is reported, and nothing crashes.
// DEEPWORK_CASES sets how many frames are tried: 100000 take about half a minute.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import type { Project } from '../support/project.ts';
import { chooseSeed, type Random, randomFrom } from '../support/random.ts';
import { initialize, openWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, step, workflow } from './guide-project.ts';

const USUAL_CASES = 4000;
const CASES = Number(process.env.DEEPWORK_CASES ?? USUAL_CASES);
const CODES = [-32700, -32600, -32601, -32602, -32001];
/** Comes about once in a thousand frames, so a usual run may not have it at all. */
const RARE_CODE = -32003;
const FILES = 1000;
const BUNDLED = 3;
const AT_ONCE = 500;
/** For what hangs: a batch takes less than a second on an idle machine. */
const PATIENCE_MS = 60_000;
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

/** What has a meaning in JSON, in JSON-RPC or in a guide. */
const PIECES = [
  ...['', ' ', ',', ':', '{', '}', '[', ']', '"', '\\', '[]', '{}', 'null', 'true', '-1', '1e999'],
  ...['"id":', '"id":{},', '"jsonrpc":"2.0",', '"method":1,', '"params":[],', '"params":null'],
  ...['"__proto__":{"x":1},', '"constructor":', '"_meta":{},', '"\\ud800"', '\ufeff', '\0', '😀'],
  ...['"steps":', '"var":', '"not":{', '"and":[', '"type":"loop",', '"schema":{"$ref":"#"},'],
  ...['"pattern":"(a+)+$",', '"(?x)"', '"../../etc/passwd"', '[[[[[[[[[[[[', '"notifications/x"'],
];
const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e21, '', 'x', 'demo', '__proto__', '\0', '../x', 'é😀', [], {}],
  ...[[null], [[]], { a: 1 }, { var: 'x' }, { error: 1 }, 'x'.repeat(3000), ['first', 'first']],
  ...[{ type: 'contains' }, { and: [] }, { '': '' }, JSON.parse('{"__proto__":1}')],
];

function corrupt(text: string, dice: Random): string {
  return dice.chance(0.5) ? spoilText(text, dice) : spoilStructure(text, dice);
}

function spoilText(text: string, dice: Random): string {
  let spoilt = text;
  for (let edits = 1 + dice.below(3); edits > 0; edits--) {
    const at = dice.below(spoilt.length + 1);
    const drop = dice.chance(0.5) ? 0 : dice.below(12);
    const repeated = spoilt.slice(dice.below(spoilt.length + 1)).slice(0, 20);
    const put = dice.chance(0.2) ? repeated : dice.pick(PIECES);
    spoilt = spoilt.slice(0, at) + put + spoilt.slice(at + drop);
  }
  return spoilt.replaceAll('\n', ' ');
}

function spoilStructure(text: string, dice: Random): string {
  const root: unknown = JSON.parse(text);
  for (let edits = 1 + dice.below(2); edits > 0; edits--) {
    const holder = dice.pick(holdersIn(root));
    const keys = Object.keys(holder);
    const key = keys.length > 0 && dice.chance(0.8) ? dice.pick(keys) : 'extra';
    if (dice.chance(0.25)) delete holder[key];
    else holder[key] = structuredClone(dice.pick(VALUES));
  }
  return JSON.stringify(root);
}

/** Every object and array inside. */
function holdersIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(holdersIn)];
}

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

/** A server that gets many lines at once, and what it answered. */
function openPump(project: Project) {
  const child = spawn(process.execPath, [BINARY, 'serve', '--path', project.root], {
    env: { ...process.env, HOME: project.root },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  const codes = new Set<number>();
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { done, value } = await answers.next();
    if (done) throw new Error('the server has ended');
    return value;
  };
  return {
    codes,
    /** Sends lines, and reads so many answers; returns the last. */
    async feed(lines: readonly string[], due: number) {
      child.stdin.write(lines.map((line) => `${line}\n`).join(''));
      const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      let last: { readonly id?: unknown } = {};
      for (let left = due; left > 0; left--) {
        const { jsonrpc, error, id } = JSON.parse(await next());
        // An `expect` for each of thousands takes as long as the server itself.
        if (jsonrpc !== '2.0') throw new Error('an answer is not JSON-RPC');
        if (error !== undefined) codes.add(error.code);
        last = { id };
      }
      clearTimeout(late);
      return last;
    },
  };
}

test('a server answers each corrupted frame once, and keeps serving', {
  timeout: TIMEOUT_MS,
}, async () => {
  verifies('GUIDE-4', 'GUIDE-5');
  const dice = randomFrom(chooseSeed());
  const pump = openPump(guideProject({ demo: GUIDE }));
  await pump.feed([JSON.stringify(initialize('hello'))], 1);
  for (let left = CASES; left > 0; left -= AT_ONCE) {
    const lines = Array.from({ length: Math.min(left, AT_ONCE) }, () =>
      corrupt(dice.pick(FRAMES), dice),
    );
    await pump.feed(
      lines,
      lines.reduce((sum, line) => sum + answersDue(line), 0),
    );
    // Had one been answered twice, this would not be the next answer.
    expect(await pump.feed([JSON.stringify(request('end', 'ping'))], 1)).toEqual({ id: 'end' });
  }
  expect(pump.codes.has(-32603)).toBe(false);
  // The corruption must reach the guides, and not only break the frames.
  if (CASES < USUAL_CASES) return;
  const wanted = CASES < 10_000 ? CODES : [...CODES, RARE_CODE];
  expect(wanted.filter((code) => !pump.codes.has(code))).toEqual([]);
});

test('a server reports each corrupted file or lists it, and serves others meanwhile', async () => {
  verifies('GUIDE-8', 'GUIDE-12');
  const dice = randomFrom(chooseSeed());
  const project = guideProject();
  for (let at = 0; at < FILES; at++) {
    const sound = JSON.stringify({ ...GUIDE, id: `guide-${at}` });
    project.write(`${FOLDER}/guide-${at}.json`, corrupt(sound, dice));
  }
  const wire = openWire(project.root, undefined, { HOME: project.root });
  wire.send(initialize('hello'));
  await wire.next(1);
  wire.send(request('list', 'workflow_list', null), request('other', 'ping'));
  const replies = await wire.next(2);
  expect(replies.map(({ id }) => id)).toEqual(['other', 'list']);
  const { workflows, errors } = replies[1]?.result ?? {};
  const files = errors.map(({ file }: { file: string }) => file);
  expect(new Set(files).size + workflows.length - BUNDLED).toBe(FILES);
  expect(files.length).toBeGreaterThan(FILES / 2);
  for (const { code, problems } of errors) {
    expect([code, problems.length > 0]).toEqual([-32002, true]);
  }
});
