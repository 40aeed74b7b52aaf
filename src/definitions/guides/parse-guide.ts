// Turns the bytes of a workflow file into a guide, or into every problem it has. It goes
// in two parts, because the id is needed of each file of a folder, and the rest only of
// those that are asked for: compiling is where the time goes.

import { createHash } from 'node:crypto';
import { kindOf, quote } from '../../core/conditions-problems.ts';
import { hasMoreValuesThan } from '../../core/json-size.ts';
import { decodeUtf8 } from '../../files/read-contained.ts';
import type { Position } from '../finding.ts';
import { type Fields, openFields } from './fields.ts';
import type { GuideStep, InvalidGuide, ParsedGuide } from './guide-model.ts';
import { locate } from './json-places.ts';
import { type JsonSource, readJson } from './json-source.ts';
import { parseStep } from './parse-step.ts';
import { openProblemLog, type ProblemLog } from './problem-log.ts';
import { openSchemaBudget } from './schema-budget.ts';
import { isSemVer } from './semver.ts';
import { openPositions } from './text-positions.ts';
import { endOfUtf8 } from './utf8.ts';

export interface GuideText {
  /** As written, however wrong it is; null if there is none that is a text. */
  readonly id: string | null;
  readonly idAt: Position;
  /** Does its work once, however often it is called. */
  check(): Promise<ParsedGuide>;
}

export const MAX_BYTES = 1024 * 1024;
/** Far more than anybody writes; a megabyte of brackets would be half a million. */
const MAX_VALUES = 50_000;
const START: Position = { line: 1, column: 1 };
const DEFAULT_VERSION = '1.0.0';
const NO_VERSION = `No "version"; it counts as ${DEFAULT_VERSION}`;

export const WORKFLOW_FIELDS = [
  'id',
  'name',
  'description',
  'version',
  'steps',
  'preconditions',
  'clarificationPrompts',
  'metaGuidance',
  'category',
  'summary',
];

export function parseGuide(bytes: Uint8Array, file: string): Promise<ParsedGuide> {
  return openGuideText(bytes, file).check();
}

export function openGuideText(bytes: Uint8Array, file: string): GuideText {
  if (bytes.length > MAX_BYTES) return unreadable('The file is larger than 1 MiB', START);
  const text = decodeUtf8(bytes);
  if (text === null) return unreadable('The file is not UTF-8 text', endOfUtf8(bytes));
  if (hasMoreValuesThan(MAX_VALUES, text)) {
    return unreadable(`The file has more than ${MAX_VALUES} values`, START);
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  const source = readJson(text);
  const id = idOf(source.value);
  const idAt = id === null ? START : openPositions(text)(locate(source.places, ['id'], 'value'));
  return { id, idAt, check: once({ text, source, file, hash }, checkGuide) };
}

/** The places of a text are many; they are let go of as soon as they have done their duty. */
function once<I, R>(input: I, work: (input: I) => R): () => R {
  let state: { readonly input: I } | { readonly result: R } = { input };
  return () => {
    if ('input' in state) state = { result: work(state.input) };
    return state.result;
  };
}

function idOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return null;
  const { id } = value as { id: unknown };
  return typeof id === 'string' ? id : null;
}

/** A file of which nothing can be said but that. */
export function invalidFile(
  code: InvalidGuide['code'],
  message: string,
  at: Position = START,
): InvalidGuide {
  return {
    kind: 'invalid',
    code,
    problems: [{ line: at.line, column: at.column, path: '', message }],
    left: 0,
    criteriaOnly: false,
    criteriaSteps: [],
    criteriaFaults: [],
  };
}

function unreadable(message: string, at: Position): GuideText {
  const invalid = invalidFile('guide_invalid', message, at);
  return { id: null, idAt: START, check: async () => invalid };
}

interface Origin {
  readonly file: string;
  readonly hash: string;
}

async function checkGuide({
  text,
  source,
  ...origin
}: Origin & { text: string; source: JsonSource }): Promise<ParsedGuide> {
  const { value, places, faults, whole } = source;
  const log = openProblemLog(places, openPositions(text));
  for (const fault of faults) log.addFault(fault);
  const fields = whole ? openFields(value, WORKFLOW_FIELDS, [], 'A workflow', log) : null;
  if (fields === null)
    return log.close() ?? invalidFile('guide_invalid', 'The file cannot be read');
  for (const name of ['preconditions', 'clarificationPrompts', 'metaGuidance']) {
    fields.texts(name, { most: 256, unique: true });
  }
  const guide = {
    id: fields.id(),
    name: fields.requiredText('name', { most: 128 }),
    description: fields.requiredText('description', { most: 512 }),
    version: readVersion(fields, log),
    category: fields.text('category', { most: 64 }) ?? 'general',
    ...readSummary(fields),
    steps: await readSteps(fields, log),
    source: value,
    ...origin,
  };
  const warnings = fields.has('version') ? [] : [{ ...START, message: NO_VERSION }];
  return log.close() ?? { kind: 'guide', guide, warnings };
}

function readSummary(fields: Fields): { summary?: string } {
  const summary = fields.text('summary', { most: 512 });
  return summary === undefined ? {} : { summary };
}

function readVersion(fields: Fields, log: ProblemLog): string {
  if (!fields.has('version')) return DEFAULT_VERSION;
  const version = fields.get('version');
  if (typeof version === 'string' && isSemVer(version)) return version;
  const found = typeof version === 'string' ? quote(version) || 'an empty one' : kindOf(version);
  const message = `"version" must be a semantic version such as 1.0.0, got ${found}`;
  log.add(fields.at('version'), message);
  return '';
}

async function readSteps(fields: Fields, log: ProblemLog): Promise<GuideStep[]> {
  const written = fields.require('steps');
  if (written === undefined) return [];
  if (!Array.isArray(written) || written.length === 0) {
    const found = Array.isArray(written) ? 'none' : kindOf(written);
    log.add(fields.at('steps'), `"steps" must be an array of one step or more, got ${found}`);
    return [];
  }
  const budget = openSchemaBudget();
  const ids = new Set<string>();
  const steps: GuideStep[] = [];
  for (const [index, source] of written.entries()) {
    if (log.full()) break;
    const path = ['steps', index];
    const step = await parseStep(source, path, budget, log);
    if (step === null) continue;
    if (ids.has(step.id) && step.id !== '') {
      log.add([...path, 'id'], `Duplicate step id: ${quote(step.id)}`);
    }
    ids.add(step.id);
    steps.push(step);
  }
  return steps;
}
