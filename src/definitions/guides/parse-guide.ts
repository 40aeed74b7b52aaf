// Turns the bytes of a workflow file into a guide, or into all its problems. This has two parts,
// because the id is needed for each file of a folder, and the rest only for requested ones:
// compiling takes most of the time.

import { createHash } from 'node:crypto';
import { shorten } from '../../core/conditions-problems.ts';
import type { TextPosition } from '../../core/issue.ts';
import { hasMoreValuesThan } from '../../core/json-size.ts';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { optional, type Read, readEach, required } from '../reader/fields.ts';
import {
  type IssueLog,
  inFileOrder,
  oneIssue,
  openIssueLog,
  TEXT_START,
} from '../reader/issues.ts';
import { type ParsedJson, parseJson, readJson } from '../source/json.ts';
import { locate, nodeOf } from '../source/node.ts';
import { endOfUtf8 } from '../source/utf8.ts';
import {
  absent,
  boundedText,
  GUIDE_BOUNDS,
  guideId,
  guideMap,
  kindOfNode,
  semanticVersion,
  uniqueTexts,
} from './guide-fields.ts';
import {
  type InvalidGuide,
  makeGuide,
  type ParsedGuide,
  type WrittenGuide,
} from './guide-model.ts';
import { makeGuideStep, type ParsedGuideStep, readGuideStep } from './parse-step.ts';
import { compileCriteria } from './step-criteria.ts';

export interface GuideText {
  /** As written, even if invalid; null if there is none or it is not a string. */
  readonly id: string | null;
  /** Does its work only once. */
  check(): Promise<ParsedGuide>;
}

export const MAX_BYTES = 1024 * 1024;
/** Far more than any real file has; a megabyte of brackets would be half a million. */
const MAX_VALUES = 50_000;
export const DEFAULT_VERSION = '1.0.0';

const readSteps: Read<ParsedGuideStep[]> = (node, path, to) => {
  if (node.kind !== 'list' || node.items.length === 0) {
    const found = node.kind === 'list' ? 'none' : kindOfNode(node);
    to.add('wrong_type', path, `"steps" must be an array of one step or more, got ${found}`);
    return [];
  }
  const steps = readEach(node.items, readGuideStep, path, to);
  const ids = new Set<string>();
  for (const [index, { id }] of steps.entries()) {
    if (ids.has(id) && id !== '') {
      to.add('duplicate_id', [...path, index, 'id'], `Duplicate step id: ${shorten(id)}`);
    }
    ids.add(id);
  }
  return steps;
};

const readWorkflow = guideMap('A workflow', {
  id: required(guideId, () => ''),
  name: required(boundedText(128), () => ''),
  description: required(boundedText(512), () => ''),
  version: optional(semanticVersion, absent),
  steps: required(readSteps, () => []),
  preconditions: optional(uniqueTexts(256), absent),
  clarificationPrompts: optional(uniqueTexts(256), absent),
  metaGuidance: optional(uniqueTexts(256), absent),
  category: optional(boundedText(64), () => 'general'),
  summary: optional(boundedText(512), absent),
});

export const WORKFLOW_FIELDS = readWorkflow.keys;

export function openGuideText(bytes: Uint8Array, file: string): GuideText {
  const unreadable = (...issue: Parameters<typeof oneIssue>): GuideText => {
    const invalid = invalidFile('guide_invalid', ...issue);
    return { id: null, check: async () => invalid };
  };
  if (bytes.length > MAX_BYTES) return unreadable('over_limit', 'The file is larger than 1 MiB');
  const text = decodeUtf8(bytes);
  if (text === null) return unreadable('not_utf8', 'The file is not UTF-8 text', endOfUtf8(bytes));
  if (hasMoreValuesThan(MAX_VALUES, text)) {
    return unreadable('over_limit', `The file has more than ${MAX_VALUES} values`);
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  const json = parseJson(text);
  return { id: idOf(json.value), check: once({ text, json, file, hash }, checkGuide) };
}

/** Drops the input, which holds the whole text, after its first use. */
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

/** The position of the id. */
export async function placeOfId(bytes: Uint8Array): Promise<TextPosition> {
  const { root, positionOf } = await readJson(decodeUtf8(bytes) ?? '');
  return root === null ? TEXT_START : positionOf(locate(root, ['id'], 'value'));
}

/** A file with a single problem, which prevents reading it. */
export function invalidFile(
  code: InvalidGuide['code'],
  ...issue: Parameters<typeof oneIssue>
): InvalidGuide {
  const { kept, left } = oneIssue(...issue);
  const none = { criteriaOnly: false, criteriaFaults: [] };
  return { kind: 'invalid', code, problems: kept, left, ...none };
}

interface GuideSource {
  readonly text: string;
  readonly json: ParsedJson;
  readonly file: string;
  readonly hash: string;
}

async function checkGuide({ text, json, ...origin }: GuideSource): Promise<ParsedGuide> {
  const log = openIssueLog(GUIDE_BOUNDS);
  const faulty = json.fault === null ? null : await readJson(text);
  for (const { code, path, message, at } of faulty?.faults ?? []) log.add(code, path, message, at);
  const read = json.fault === 'broken' ? null : await readGuide(json.value, log);
  if (read !== null && log.found === 0) {
    const source = json.value as WrittenGuide;
    return { kind: 'guide', guide: makeGuide({ ...read.guide, source, ...origin }) };
  }
  const { kept, ...counts } = inFileOrder(log.close(faulty ?? (await readJson(text))));
  const { only = false, faults = [] } = read?.compiled ?? {};
  return {
    kind: 'invalid',
    code: 'guide_invalid',
    problems: kept,
    ...counts,
    criteriaOnly: only,
    criteriaFaults: faults,
  };
}

async function readGuide(value: unknown, log: IssueLog) {
  const { steps, version, summary, ...fields } = readWorkflow(nodeOf(value), [], log);
  const compiled = await compileCriteria(steps, log);
  const guide = {
    id: fields.id,
    name: fields.name,
    description: fields.description,
    version: version ?? DEFAULT_VERSION,
    category: fields.category,
    ...(summary === undefined ? {} : { summary }),
    steps: steps.map((step) => makeGuideStep(step, fields.id, compiled.criteria.get(step) ?? null)),
  };
  return { guide, compiled };
}
