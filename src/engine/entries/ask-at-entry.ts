// The question to a person that a session waits for: at an `approve`, about exactly the files that
// it shows; at a loop that is not done and has no pass left, how to continue. It is asked when the
// session arrives. However many processes ask, there is one question, because its mark in the
// ledger identifies what it is about.

import { Refused, refuse } from '../../core/refusal.ts';
import { decideAsked, verdictOn } from '../../core/session/approval-answer.ts';
import { digestOf, type ShownFiles } from '../../core/session/judged-files.ts';
import { LOOP_CHOICES } from '../../core/session/loop-answer.ts';
import { currentEntry, handedInBy } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import type { Asked } from '../../core/team/state.ts';
import { lastLines, onOneLine } from '../../core/wording.ts';
import type { ApproveEntry } from '../../core/workflow.ts';
import { checkOutputPath } from '../../gate/output-path.ts';
import { hashFile, openHashing } from '../../gate/submitted-files.ts';
import type { CallContext } from '../call-context.ts';
import { type DefinitionInUse, definitionInUse } from '../definition-in-use.ts';
import { dismissOutdated } from '../person/ended-questions.ts';
import { notifyPerson } from '../person/notify-person.ts';

export interface EntryQuestion {
  /** The name of the `approve` or loop. */
  readonly name: string;
  readonly asked: Asked;
  /** The files of an approval. */
  readonly files?: ShownFiles;
  /** The text for the agent, given the id of the question. */
  readonly feedback: (id: string) => string;
}

export const APPROVE = 'Approve';
const REJECT = 'Reject';

type Asker = Pick<CallContext, 'workspace' | 'owner' | 'caller' | 'signal'>;

/** The id of the question; null if there is nothing to ask. */
export async function askAtEntry(context: Asker, session: Session): Promise<string | null> {
  const { position } = session;
  if (position.at?.kind !== 'approve' && position.limit === undefined) return null;
  const inUse = await definitionInUse(context.workspace, session);
  const question = await questionAt(context, session, inUse);
  return question === null ? null : askQuestion(context, session, question);
}

/** What to ask a person; null if there is nothing to ask, or the answer is already known. */
async function questionAt(
  { workspace, signal }: Asker,
  session: Session,
  { workflow }: DefinitionInUse,
): Promise<EntryQuestion | null> {
  if (session.position.limit !== undefined) return loopQuestion(session);
  const entry = currentEntry(session, workflow)?.place.entry;
  if (entry?.kind !== 'approve') return null;
  const files = await shownFiles(workspace.paths.work, session, entry, signal);
  const isKnown = verdictOn(session, { name: entry.name, files, said: null }) !== null;
  return isKnown ? null : approvalQuestion(session, entry, files);
}

/** The question is in the ledger before the session records it. */
export async function askQuestion(
  { workspace, owner: by, caller }: Asker,
  session: Session,
  { name, asked, files, feedback }: EntryQuestion,
): Promise<string> {
  const { store, clock, team } = workspace;
  const { id, position } = session;
  const { ids, attached } = await team.questions.ask(caller, [asked]);
  const [question = ''] = ids;
  const found = attached ? null : await team.questions.find(question);
  if (found !== null) notifyPerson(workspace).begin([found]);
  if (asked.about !== undefined) await dismissOutdated(workspace, asked.about, question);
  const command = { by, arrival: position.arrival, name, question, feedback: feedback(question) };
  await store.change(id, (now) =>
    decideAsked(now, { at: clock(), ...command, ...(files && { files }) }),
  );
  return question;
}

export function approvalQuestion(
  session: Session,
  { name, question }: ApproveEntry,
  files: ShownFiles,
): EntryQuestion {
  const { id, position } = session;
  const { arrival } = position;
  // An approval that shows no files is asked again at each arrival.
  const bytes = digestOf(files) ?? `arrival ${arrival}`;
  const about = {
    session: id,
    arrival,
    grants: 'approval',
    files,
    once: `approve ${name}: ${bytes}`,
  } as const;
  return {
    name,
    files,
    asked: {
      question: `${question}\n\n${whatIsShown(session, files)}`,
      choices: [APPROVE, REJECT],
      multiSelect: false,
      about,
    },
    feedback: (asked) =>
      `A person was asked to approve (${asked}): ${question} Change nothing and call finished_step with outputs {} to wait for the answer.`,
  };
}

/** Part of the question's text, so that every route to a person shows which files are meant, one per line. */
function whatIsShown({ id, jobName, workflowName }: Session, files: ShownFiles): string {
  const shown = Object.entries(files).slice(0, MAX_SHOWN);
  const more = Object.keys(files).length - shown.length;
  return [
    `${jobName}/${workflowName}, session ${id}, asks about exactly these files:`,
    ...shown.map(([path, sha256]) => `  ${onOneLine(path)} (sha256 ${sha256.slice(0, 12)})`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(shown.length === 0 ? ['  none'] : []),
  ].join('\n');
}

const MAX_SHOWN = 50;
const MAX_SAID_CHARS = 500;

export function loopQuestion(session: Session): EntryQuestion {
  const { id, position, jobName, workflowName, lastAccepted } = session;
  const { arrival, limit } = position;
  if (limit === undefined) throw new Error(`session ${id} does not wait at a loop`);
  const { loop, pass, said } = limit;
  const passes = pass === 1 ? '1 pass' : `${pass} passes`;
  const why = said === '' ? '' : `\nIt says:\n${lastLines(said, MAX_SAID_CHARS).join('\n')}`;
  const about = {
    session: id,
    arrival,
    grants: 'loop',
    // If a pass changes nothing, the session waits here again, and that is a new question.
    once: `loop ${loop}: pass ${pass} of arrival ${arrival}, ${lastAccepted?.seq ?? 0}`,
  } as const;
  const question = `Loop '${loop}' of ${jobName}/${workflowName} (session ${id}) is not done after ${passes}. How should it continue?${why}`;
  return {
    name: loop,
    asked: { question, choices: Object.values(LOOP_CHOICES), multiSelect: false, about },
    feedback: (asked) =>
      `Loop '${loop}' is not done after ${passes}. A person was asked how to continue (${asked}): change nothing and call finished_step again with the same outputs to wait for the answer.${why}`,
  };
}

/** The sha256 of each file that an `approve` shows, as it is now, by path. */
export async function shownFiles(
  root: string,
  session: Session,
  { name, show }: ApproveEntry,
  signal: AbortSignal,
): Promise<ShownFiles> {
  const handedIn = handedInBy(session);
  const paths = show.flatMap((ref) => handedIn(ref).flatMap((each) => each.paths));
  const hashing = openHashing(signal);
  const files: Record<string, string> = {};
  for (const given of new Set(paths)) {
    const found = await checkOutputPath(root, given);
    if (found.kind === 'problem') throw new Refused(cannotShow(name, found.problem));
    const hash = await hashFile(root, found.absolute, hashing);
    if (hash === null) throw new Refused(cannotShow(name, `'${given}' is too large`));
    files[found.path] = hash;
  }
  return files;
}

function cannotShow(name: string, problem: string) {
  return refuse(
    'approval_files',
    `approve '${name}': ${problem}`,
    'put the file back and call finished_step again, or call go_to_step with an earlier step.',
  );
}
