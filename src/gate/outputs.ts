// The first stage of the gate: do the submitted outputs have the declared shape, and
// are their files there? Everything that is wrong is told at once.

import type { Outputs } from '../core/session/state.ts';
import type { Submitted } from '../core/session/submission.ts';
import { shown } from '../core/wording.ts';
import type { Output, Step } from '../core/workflow.ts';
import { Cancelled } from './command.ts';
import { findFile, type Hashing, hashFile, MAX_HASHED, settleFile, stampFile } from './files.ts';

const MAX_PATHS = 1000;

/** Outputs of one member whose files were found; paths are relative to the root. */
export interface MemberOutputs {
  readonly outputs: Outputs;
  /** sha256 by path: what exactly was handed in. */
  readonly files: Readonly<Record<string, string>>;
  /** By path, of files that are judged, taken before they were read: equal, untouched. */
  readonly stamps: Readonly<Record<string, string>>;
}

export type Inspection =
  | { readonly kind: 'found'; readonly member: MemberOutputs }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** `nameOf` is how the caller knows an output, which may be `step.name`. */
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
    for (const given of typed) {
      const found = await findFile(root, given);
      if (found.kind === 'problem') {
        problems.push(`${name}: ${found.problem}`);
        continue;
      }
      paths.add(found.path);
      if (!files.has(found.path)) files.set(found.path, found.absolute);
    }
    const list = [...paths];
    outputs.push([output.name, output.type === 'file' ? (list[0] ?? '') : list]);
  }
  if (problems.length > 0) return { kind: 'problems', problems };

  const hashes: [string, string][] = [];
  const stamps: [string, string][] = [];
  for (const [path, absolute] of files) {
    try {
      if (isJudged(submitted.step)) {
        await settleFile(absolute);
        stamps.push([path, await stampFile(root, path)]);
      }
      const hash = await hashFile(root, absolute, hashing);
      if (hash === null) {
        problems.push(
          `Output file '${path}' is too large: the files of one call may have ${MAX_HASHED} together`,
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

/** Whether more than the presence of the files will be looked at. */
function isJudged({ outputs, checks, reviews }: Step): boolean {
  const looked = outputs.some(({ rules, lint }) => rules !== null || lint);
  return checks.length > 0 || reviews.length > 0 || looked;
}

/** The paths of one output, or the problem with its shape. */
function typedPaths(name: string, output: Output, value: unknown): readonly string[] | string {
  if (output.type === 'file') {
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

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
}
