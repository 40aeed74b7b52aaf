// Outputs are files in a checkout, but a journal in a database can be shared by several checkouts.
// When work is taken over, its accepted outputs may have been made in another one. So files that
// are missing here, or differ from what was accepted, are named until something is accepted here.

import path from 'node:path';
import type { Session } from '../../core/session/state.ts';
import { completedSteps } from '../../core/session/view.ts';
import { shown } from '../../core/wording.ts';
import { Cancelled } from '../../gate/command.ts';
import { type Hashing, hashFile, openHashing } from '../../gate/submitted-files.ts';
import type { CallContext } from '../call-context.ts';

const MAX_COMPARED = 1000;
const MAX_NAMED = 20;

/** Warnings; none if all files are as they were accepted, or nothing was taken over here. */
export async function outputsElsewhere(
  { workspace, owner, signal }: CallContext,
  session: Session,
): Promise<readonly string[]> {
  if ((await workspace.database()) === null) return [];
  const isOwn = session.owner.identity === owner.identity;
  const takenOverAt = isOwn ? workspace.stacks.takenOverAt(session.id) : session.seq;
  if (takenOverAt === null || (session.lastAccepted?.seq ?? 0) > takenOverAt) return [];
  const { work: root } = workspace.paths;
  const hashing = openHashing(signal);
  const missing: string[] = [];
  const different: string[] = [];
  for (const [file, hash] of acceptedFiles(session)) {
    const now = await hashNow(root, file, hashing);
    if (now === 'missing') missing.push(file);
    else if (now !== hash) different.push(file);
  }
  if (missing.length + different.length === 0) return [];
  const what = [
    ...(missing.length > 0 ? [`missing here: ${named(missing)}`] : []),
    ...(different.length > 0 ? [`different here: ${named(different)}`] : []),
  ];
  return [
    `Not all outputs of session ${session.id} are here as they were accepted. ${what.join('; ')}. Get them from where they were made (such as git pull), or call go_to_step to make them again.`,
  ];
}

/** For a file that several steps handed in, the hash that was accepted last. */
function acceptedFiles(session: Session): readonly [string, string][] {
  const files = new Map(completedSteps(session).flatMap((step) => Object.entries(step.files)));
  return [...files].slice(0, MAX_COMPARED);
}

async function hashNow(root: string, file: string, hashing: Hashing): Promise<string | null> {
  try {
    return await hashFile(root, path.join(root, file), hashing);
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return 'missing';
  }
}

function named(files: readonly string[]): string {
  const more = files.length - MAX_NAMED;
  const rest = more > 0 ? ` and ${more} more` : '';
  return files.slice(0, MAX_NAMED).map(shown).join(', ') + rest;
}
