// The commands of the project that a run is going to need, and whether a person has trusted them.
// No one is there to do that once the run gets to them, so it is asked before the run begins, for
// all of it, and before each turn, for the step that is open: an agent may have changed what was
// trusted, and no further turn could finish that step.

import { Refused, refuse } from '../../core/refusal.ts';
import { currentEntry } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import { type Entry, loopsOf, membersOf, stepsOf, type Workflow } from '../../core/workflow.ts';
import { type DefinitionInUse, findDefinition } from '../definition-in-use.ts';
import type { Workspace } from '../workspace.ts';
import { requireTrustInGate, UNTRUSTED, untrustedIn } from './command-trust.ts';

/** In the whole workflow, and in those that it runs. */
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
  for (const { job, workflow: nested } of runsIn(workflow)) {
    // One that is not there is reported by whoever gets to it.
    const inner = await findDefinition(workspace, job, nested).catch((error: unknown) => {
      if (error instanceof Refused && error.refusal.code !== UNTRUSTED) return null;
      throw error;
    });
    if (inner !== null) found.push(...(await untrustedInAll(workspace, inner.inUse, seen)));
  }
  return found;
}

function runsIn({ entries }: Pick<Workflow, 'entries'>): Extract<Entry, { kind: 'run' }>[] {
  return entries.flatMap((entry) =>
    entry.kind === 'run' ? [entry] : entry.kind === 'loop' ? runsIn(entry) : [],
  );
}

/** At the step that is open, and in the loops around it. */
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

/** The refusal of a call, put for whoever started the run. */
export function toldToPerson(workspace: Workspace, refused: Refused): Refused {
  const { code, message, data } = refused.refusal;
  const isPut = code !== UNTRUSTED || data?.later !== undefined;
  return isPut ? refused : notTrusted(workspace, [message]);
}

function notTrusted({ paths }: Workspace, untrusted: readonly string[]): Refused {
  const { root, work } = paths;
  const command = `deepwork trust --path ${root}`;
  const apart =
    work === root ? '' : ` What ${work} has in their place must be the same as in the project.`;
  const next = `look at them and run: ${command} (in automation, set DEEPWORK_TRUST=1 for this one command).${apart}`;
  const later =
    work === root
      ? `Look at what has changed and run ${command}, or restore it`
      : `Restore it in ${work}, or change it in the project as well and run ${command}`;
  return new Refused(refuse(UNTRUSTED, untrusted.join('.\n'), next, { later }));
}

/** Of a run that has begun: what has to be done before it can go on. */
export function whyStopped({ refusal }: Refused): string {
  const { message, data = {} } = refusal;
  return typeof data.later === 'string' ? `${message}. ${data.later}` : message;
}
