// What a reviewer should know besides the outputs: the purpose of the work, its inputs and
// its changes. All of it is bounded, whatever the agent or the project wrote.

import path from 'node:path';
import { shownUpTo } from '../../core/wording.ts';
import { changesSince, MAX_COMPARED_BYTES } from '../../environment/git/git-changes.ts';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { Cancelled } from '../command.ts';
import { checkOutputPath } from '../output-path.ts';
import type { GateMember, GateRequest } from '../request.ts';
import { type Hashing, hashFile, openHashing, readFileUpTo } from '../submitted-files.ts';
import type { ReviewedFile } from './tasks.ts';

export interface ReviewContext {
  readonly goal: string;
  readonly step: string;
  readonly description: string;
  readonly inputs: readonly InputShown[];
}

export interface InputShown {
  readonly name: string;
  /** One line: its description and, if set, its value. */
  readonly about: string | null;
  /** Files of an earlier step that still exist. */
  readonly files: readonly {
    readonly path: string;
    readonly absolute: string;
    /** It differs from what was accepted. */
    readonly changed: boolean;
  }[];
}

/** More text does not help a judgement. */
const MAX_TEXT_LENGTH = 8 * 1024;
const MAX_INPUTS = 50;
const MAX_INPUT_FILES = 100;
const MAX_COMPARED_FILES = 50;

/** Null if the gate does not know the task. */
export async function reviewContextOf(
  { root, task, signal }: GateRequest,
  { step }: GateMember,
): Promise<ReviewContext | null> {
  if (task === undefined) return null;
  const inputs: InputShown[] = [];
  let left = MAX_INPUT_FILES;
  const hashing = openHashing(signal);
  for (const { name, about, paths, hashes } of task.inputsOf(step).slice(0, MAX_INPUTS)) {
    const files: InputShown['files'][number][] = [];
    for (const each of paths.slice(0, left)) {
      // It was inside the project when it was accepted, possibly long ago.
      const found = await checkOutputPath(root, each);
      if (found.kind !== 'file') continue;
      const { path: file, absolute } = found;
      const changed = (await hashNow(root, absolute, hashing)) !== hashes[each];
      files.push({ path: file, absolute, changed });
    }
    left -= files.length;
    inputs.push({ name, about: about === null ? null : shownUpTo(about, MAX_TEXT_LENGTH), files });
  }
  return {
    goal: shownUpTo(task.goal, MAX_TEXT_LENGTH),
    step: step.name,
    description: shownUpTo(step.description, MAX_TEXT_LENGTH),
    inputs,
  };
}

/** Null if it cannot be read, or exceeds the limits under which it was accepted. */
async function hashNow(root: string, absolute: string, hashing: Hashing): Promise<string | null> {
  try {
    return await hashFile(root, absolute, hashing);
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return null;
  }
}

/** The run's changes in these files, as far as git knows; null if there is nothing to compare. */
export async function changesIn(
  { root, task }: GateRequest,
  files: readonly Pick<ReviewedFile, 'path'>[],
): Promise<string | null> {
  const began = task?.began ?? null;
  if (began === null || files.length === 0) return null;
  if (files.length > MAX_COMPARED_FILES) {
    return `[More than ${MAX_COMPARED_FILES} files, not compared]`;
  }
  const texts = [];
  for (const file of files) {
    const bytes = await readFileUpTo(root, path.join(root, file.path), MAX_COMPARED_BYTES);
    const text = bytes === null || bytes.includes(0) ? null : decodeUtf8(bytes);
    if (text !== null) texts.push({ path: file.path, text });
  }
  // The review continues without it.
  return changesSince(root, began, texts).catch(() => '[Could not be compared]');
}
