// The commands that an unattended run will need, and whether a person has trusted them. No one is
// there to do that once the run reaches them, so this is checked before the run starts, for the
// whole workflow, and before each turn, for the open step: an agent may have changed what was
// trusted, and then no further turn could finish that step.

import { Refused, refusedWith } from '../../core/refusal.ts';
import { currentEntry } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import { loopsOf, membersOf, runsOf, stepsOf } from '../../core/workflow.ts';
import { type DefinitionInUse, findDefinition } from '../definition-in-use.ts';
import type { Workspace } from '../workspace.ts';
import { requireTrustInGate, UNTRUSTED, untrustedIn } from './command-trust.ts';

/** Checks the whole workflow, and those that it runs. */
export async function requireTrustInAll(
  workspace: Workspace,
  inUse: DefinitionInUse,
): Promise<void> {
  const untrusted = await untrustedInAll(workspace, inUse, new Set());
  if (untrusted.length > 0) throw notTrusted(workspace, untrusted);
}

async function untrustedInAll(
  workspace: Workspace,
  { definition, workflow }: DefinitionInUse,
  seen: Set<string>,
): Promise<string[]> {
  const name = `${definition.name}/${workflow.name}`;
  if (seen.has(name)) return [];
  seen.add(name);
  const work = { steps: stepsOf(workflow), loops: loopsOf(workflow) };
  const own = await untrustedIn(workspace, definition, work, await workspace.settings());
  const found = own.map((what) => `${name}: ${what}`);
  for (const { job, workflow: nested } of runsOf(workflow)) {
    // A missing one is reported when the run reaches it.
    const inner = await findDefinition(workspace, job, nested).catch((error: unknown) => {
      if (error instanceof Refused && error.refusal.code !== UNTRUSTED) return null;
      throw error;
    });
    if (inner !== null) found.push(...(await untrustedInAll(workspace, inner.inUse, seen)));
  }
  return found;
}

/** Checks the open step, and the loops around it. */
export async function requireTrustHere(
  workspace: Workspace,
  session: Session,
  { definition, workflow }: DefinitionInUse,
): Promise<void> {
  const here = currentEntry(session, workflow);
  if (here === null) return;
  const { entry, loops } = here.place;
  const work = { steps: membersOf(entry), loops };
  const untrusted = await untrustedIn(workspace, definition, work, await workspace.settings());
  if (untrusted.length > 0) throw notTrusted(workspace, untrusted);
}

export async function requireTrustInTeam(workspace: Workspace): Promise<void> {
  const script = await workspace.completionGate();
  if (script !== null) await requireTrustInGate(workspace, script);
}

/** The refusal of a call, worded for the person who started the run. */
export function refusalForPerson(workspace: Workspace, refused: Refused): Refused {
  const { code, message, data } = refused.refusal;
  const isForPerson = code !== UNTRUSTED || data?.later !== undefined;
  return isForPerson ? refused : notTrusted(workspace, [message]);
}

function notTrusted({ paths }: Workspace, untrusted: readonly string[]): Refused {
  const { root, work } = paths;
  const command = `deepwork trust --path ${root}`;
  const worktreeNote =
    work === root ? '' : ` Their copies in ${work} must be the same as in the project.`;
  const next = `look at them and run: ${command} (in automation, set DEEPWORK_TRUST=1 for this one command).${worktreeNote}`;
  const later =
    work === root
      ? `Look at what has changed and run ${command}, or restore it`
      : `Restore it in ${work}, or change it in the project as well and run ${command}`;
  return refusedWith(UNTRUSTED, untrusted.join('.\n'), next, { later });
}

/** For a run that has started: what has to be done before it can continue. */
export function whyStopped({ refusal }: Refused): string {
  const { message, data = {} } = refusal;
  return typeof data.later === 'string' ? `${message}. ${data.later}` : message;
}
