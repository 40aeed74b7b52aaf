// The first stage of the gate: do the submitted outputs have the declared shape, and do
// their files exist? All problems are reported at once.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import type { Outputs } from '../core/session/state.ts';
import type { Submitted } from '../core/session/submission.ts';
import { shown, typeName } from '../core/wording.ts';
import type { Output, Step } from '../core/workflow.ts';
import { Cancelled } from './command.ts';
import { checkOutputPath } from './output-path.ts';
import {
  type Hashing,
  hashFile,
  MAX_HASHED,
  stampFile,
  untilConclusive,
} from './submitted-files.ts';

const MAX_PATHS = 1000;

/** The outputs of one member, with all files found; paths are relative to the root. */
export interface MemberOutputs {
  readonly outputs: Outputs;
  /** sha256 by path: the exact content submitted. */
  readonly files: Readonly<Record<string, string>>;
  /** By path, for files that will be judged; taken before reading. An equal stamp means untouched. */
  readonly stamps: Readonly<Record<string, string>>;
}

export type Inspection =
  | { readonly kind: 'found'; readonly member: MemberOutputs }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** `nameOf` gives an output's name as the caller wrote it, which may be `step.name`. */
export async function inspectOutputs(
  root: string,
  submitted: Submitted,
  nameOf: (output: Output) => string,
  hashing: Hashing,
): Promise<Inspection> {
  const outputs: [string, string | string[]][] = [];
  const files = new Map<string, string>();
  const problems: string[] = [];
  for (const output of submitted.step.outputs) {
    if (!submitted.outputs.has(output.name)) continue;
    const name = `Output '${shown(nameOf(output))}'`;
    const typed = typedPaths(name, output, submitted.outputs.get(output.name));
    if (typeof typed === 'string') {
      problems.push(typed);
      continue;
    }
    const paths = new Set<string>();
    for (const given of new Set(typed)) {
      // A call may name thousands of files, and asking for them does not wait.
      if (sliceIsOver()) await nextSlice();
      const found = await checkOutputPath(root, given);
      if (found.kind === 'problem') {
        problems.push(`${name}: ${found.problem}`);
        continue;
      }
      paths.add(found.path);
      if (!files.has(found.path)) files.set(found.path, found.absolute);
    }
    const list = [...paths];
    const isOne = output.type === 'file' && typeof submitted.outputs.get(output.name) === 'string';
    outputs.push([output.name, isOne ? (list[0] ?? '') : list]);
  }
  if (problems.length > 0) return { kind: 'problems', problems };

  const hashes: [string, string][] = [];
  const stamps: [string, string][] = [];
  for (const [path, absolute] of files) {
    try {
      if (isJudged(submitted.step)) {
        await untilConclusive(absolute);
        stamps.push([path, await stampFile(root, path)]);
      }
      const hash = await hashFile(root, absolute, hashing);
      if (hash === null) {
        problems.push(
          `Output file '${path}' is too large: the files of one call may total ${MAX_HASHED}`,
        );
        break;
      }
      hashes.push([path, hash]);
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      problems.push(`Output file '${path}' cannot be read: ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) return { kind: 'problems', problems };
  return {
    kind: 'found',
    member: {
      outputs: Object.fromEntries(outputs),
      files: Object.fromEntries(hashes),
      stamps: Object.fromEntries(stamps),
    },
  };
}

/** Whether the content of the files will be judged, not only their presence. */
function isJudged({ outputs, checks, reviews }: Step): boolean {
  const looked = outputs.some(({ rules, lint }) => rules !== null || lint);
  return checks.length > 0 || reviews.length > 0 || looked;
}

/** The paths of one output, or the problem with its shape. */
function typedPaths(name: string, output: Output, value: unknown): readonly string[] | string {
  if (output.type === 'file' && !(output.orList && Array.isArray(value))) {
    if (typeof value === 'string') return [value];
    return `${name} is declared as type 'file' and must be a single string path, got ${typeName(value)}`;
  }
  if (!Array.isArray(value)) {
    return `${name} is declared as type 'files' and must be a list of paths, got ${typeName(value)}`;
  }
  const odd = value.find((path) => typeof path !== 'string');
  if (odd !== undefined) return `${name}: all paths must be strings, got ${typeName(odd)}`;
  if (value.length > MAX_PATHS) return `${name}: more than ${MAX_PATHS} paths`;
  if (value.length === 0 && output.required) {
    return `${name} is required and must list at least one file`;
  }
  return value as string[];
}
