// Whether progress notes were counted one at a time, whether the todo list behaves like one
// variable, and whether an outbox shows what its agent sent and never reverts a message to
// unread.

import { sentId } from './check-messages.ts';
import { type Epoch, newTeamEvents, teamAtStart } from './epochs.ts';
import { type CallRecord, effectiveEnd } from './history.ts';
import { linearize, type Model, type Operation } from './linearize.ts';
import { noOrder, type Recorded, type Violation } from './violation.ts';

interface NoteInput {
  readonly note: string | null;
  /** How often the journal has it. */
  readonly stored: number;
}

type NoteOp = Operation<NoteInput, number> & Recorded;

interface Notes {
  readonly count: number;
  /** Notes that were added and not acknowledged yet, which a repeat may find. */
  readonly open: readonly string[];
}

const notesModel = (count: number, open: Notes['open']): Model<Notes, NoteOp> => ({
  initial: [{ count, open }],
  apply({ count, open }, { input: { note, stored }, output }) {
    if (note === null) return output === count ? [{ count, open }] : [];
    const others = open.filter((each) => each !== note);
    if (output === null) {
      const added = open.length - others.length;
      return added < stored ? [{ count: count + 1, open: [...open, note] }] : [];
    }
    return [
      ...(output === count + 1 ? [{ count: count + 1, open: others }] : []),
      ...(open.includes(note) && output <= count ? [{ count, open: others }] : []),
    ];
  },
  key: ({ count, open }) => `${count} ${open.join()}`,
});

export function checkNotes(epoch: Epoch): Violation[] {
  const { history } = epoch;
  const atStart = teamAtStart(epoch);
  const violations: Violation[] = [];
  const stored = new Map<string, number>();
  for (const { type, data } of newTeamEvents(epoch)) {
    if (type !== 'updated' || data.note === null) continue;
    stored.set(data.note, (stored.get(data.note) ?? 0) + 1);
  }
  const updates = history.calls.filter(
    ({ tool, answer }) => tool === 'update_workflow_state' && !answer?.isError,
  );
  const attempts = new Map<string, CallRecord[]>();
  for (const call of updates) {
    const note = noteOf(call);
    if (note !== null) attempts.set(note, [...(attempts.get(note) ?? []), call]);
  }
  for (const [note, calls] of attempts) {
    const found = stored.get(note) ?? 0;
    const isKnown = atStart.notes.some(({ text }) => text === note);
    const acknowledged = !isKnown && calls.some(({ answer }) => answer !== null);
    const fault =
      acknowledged && found === 0
        ? 'was acknowledged and is not in the journal'
        : found > calls.length
          ? `is in the journal ${found} times and was sent ${calls.length} times`
          : found > 1
            ? `is in the journal ${found} times, having been sent again`
            : null;
    if (fault !== null) violations.push({ what: `Note '${note}' ${fault}`, calls, trace: [note] });
  }

  const known = atStart.notes.map(({ text }) => text).filter((note) => attempts.has(note));
  const operations = updates.flatMap((call): NoteOp[] => {
    const note = noteOf(call);
    const found = note === null ? 0 : (stored.get(note) ?? 0);
    const before = known.filter((each) => each === note).length;
    if (call.answer === null && found === 0) return [];
    const isOnly = note !== null && attempts.get(note)?.length === 1;
    const [, total] = /Total progress notes: (\d+)/.exec(call.answer?.text ?? '') ?? [];
    return [
      {
        name: `${call.client} notes ${note}`,
        start: call.start,
        end: effectiveEnd(history, call),
        input: { note, stored: before + found },
        output: total === undefined ? null : Number(total),
        ...(call.answer === null && isOnly ? { happened: true } : {}),
        call,
      },
    ];
  });
  const impasse = linearize(operations, notesModel(atStart.noteCount, known));
  if (impasse !== null) violations.push(noOrder('the number of progress notes', impasse));
  return violations;
}

function noteOf({ args }: CallRecord): string | null {
  return (args.addProgress as string | undefined) ?? null;
}

type TodoOp = Operation<string | null, string> & Recorded;

/** Null is a read; otherwise the value is the one todo on the list. */
const todosModel = (list: string): Model<string, TodoOp> => ({
  initial: [list],
  apply(list, { input, output }) {
    if (input !== null) return output === null || output === input ? [input] : [];
    return output === list ? [list] : [];
  },
  key: String,
});

export function checkTodos(epoch: Epoch): Violation[] {
  const { history } = epoch;
  const [todo] = teamAtStart(epoch).todos;
  const operations = history.calls.flatMap((call): TodoOp[] => {
    const isWrite = call.tool === 'project_todowrite';
    if (!isWrite && call.tool !== 'project_todoread') return [];
    if (call.answer?.isError || (!isWrite && call.answer === null)) return [];
    const [written] = (call.args.todos ?? []) as { readonly content: string }[];
    const [, shown = ''] = /^→ . (.*) \(medium\)$/m.exec(call.answer?.text ?? '') ?? [];
    return [
      {
        name: `${call.client} ${call.tool} ${written?.content ?? ''}`,
        start: call.start,
        end: effectiveEnd(history, call),
        input: isWrite ? (written?.content ?? '') : null,
        output: call.answer === null ? null : shown,
        call,
      },
    ];
  });
  const impasse = linearize(operations, todosModel(todo?.content ?? ''));
  return impasse === null ? [] : [noOrder('the list of todos', impasse)];
}

/** What an outbox must and must not show, by the times of its calls. */
export function checkOutboxes({ history }: Epoch): Violation[] {
  const violations: Violation[] = [];
  const delivered = new Map<number, CallRecord>();
  const looks = history.calls
    .filter(({ tool, answer }) => tool === 'check_outbox' && answer !== null && !answer.isError)
    .sort((a, b) => (a.end as number) - (b.end as number));
  for (const look of looks) {
    const { pending, read } = outboxOf(look.answer?.text ?? '');
    for (const call of history.calls) {
      const id = call.agent === look.agent ? sentId(call) : null;
      if (id === null) continue;
      const isShown = pending.has(id) || read.has(id);
      if (!isShown && (call.end as number) < look.start) {
        const what = `The outbox of ${look.agent} lacks message ${id}`;
        violations.push({ what, calls: [call, look], trace: [] });
      }
    }
    for (const id of pending) {
      const before = delivered.get(id);
      if (before === undefined || (before.end as number) > look.start) continue;
      const what = `Message ${id} had been read, and is pending again`;
      violations.push({ what, calls: [before, look], trace: [] });
    }
    for (const id of read) if (!delivered.has(id)) delivered.set(id, look);
  }
  return violations;
}

function outboxOf(text: string): { pending: Set<number>; read: Set<number> } {
  const pending = new Set<number>();
  const read = new Set<number>();
  for (const [, isRead, id] of text.matchAll(
    /^ {2}\d+\. To: .*?(\| Read at .*? )?\| ID: (\d+)$/gm,
  )) {
    (isRead === undefined ? pending : read).add(Number(id));
  }
  return { pending, read };
}
