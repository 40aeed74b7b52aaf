// Sessions whose journal lost events while this process was running: its file was truncated,
// replaced by an older copy, deleted (`git clean -fdx`), or is not this user's. Each is reported
// on stderr at once, and to a caller once: to the session's owner, or in the warnings of the next
// answer.

import { type Refusal, Refused, refuse } from '../core/refusal.ts';
import { currentStepId, type Owner, type Session, workflowLabel } from '../core/session/state.ts';
import { keptPlace } from '../journal/stream-name.ts';

export interface LostJournals {
  rolledBack(id: string, refusal: Refusal): void;
  vanished(session: Session): void;
  /** For problems that concern no particular caller. */
  warn(text: string): void;
  /** Refuses once if this session went back or is gone. */
  check(id: string): void;
  /** Refuses once if a session of this owner is gone. */
  checkVanished(owner: Pick<Owner, 'identity'>): void;
  /** Pending warnings for an answer to this owner. */
  warnings(owner: Pick<Owner, 'identity'>): string[];
}

const MAX_KEPT = 100;

export function openLostJournals(onProblem: (line: string) => void): LostJournals {
  const back = new Map<string, Refusal>();
  const gone = new Map<string, { readonly owner: string; readonly refusal: Refusal }>();
  let texts: string[] = [];

  function raise(refusal: Refusal | undefined): void {
    if (refusal !== undefined) throw new Refused(refusal);
  }

  function goneOf(owner: string): [string, Refusal][] {
    return [...gone].flatMap(([id, each]) => (each.owner === owner ? [[id, each.refusal]] : []));
  }

  return {
    rolledBack(id, refusal) {
      onProblem(refusal.message);
      back.set(id, refusal);
      drop(back);
    },
    vanished(session) {
      const refusal = vanished(session);
      onProblem(refusal.message);
      back.delete(session.id);
      gone.set(session.id, { owner: session.owner.identity, refusal });
      drop(gone);
    },
    warn(text) {
      texts = [...texts, text].slice(-MAX_KEPT);
    },
    check(id) {
      const refusal = back.get(id) ?? gone.get(id)?.refusal;
      back.delete(id);
      gone.delete(id);
      raise(refusal);
    },
    checkVanished({ identity }) {
      const [first, ...more] = goneOf(identity);
      if (first === undefined) return;
      for (const [id] of [first, ...more]) gone.delete(id);
      const [, refusal] = first;
      const others = more.map(([id]) => `'${id}'`).join(', ');
      const message = others === '' ? refusal.message : `${refusal.message} So was ${others}.`;
      raise({ ...refusal, message });
    },
    warnings({ identity }) {
      const mine = goneOf(identity);
      for (const [id] of mine) gone.delete(id);
      const said = [...mine.map(([, { message }]) => message), ...texts];
      texts = [];
      return said;
    },
  };
}

/** Drops the oldest. */
function drop(kept: Map<string, unknown>): void {
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** A session whose journal ends before the known state, or has other events. */
export function rolledBack(before: Session, now: Session): Refusal {
  return refuse(
    'session_went_back',
    `The journal of session '${now.id}' was changed while the server was running: it went back from event ${before.seq} (step '${currentStepId(before)}') and now ends with event ${now.seq} (${whereIs(now)}). Nothing of this call was recorded.`,
    'call get_active_workflow to see the current step of the session, and continue from there. Tell your user that .deepwork/journal was cut or replaced by an older copy.',
  );
}

function whereIs(session: Session): string {
  return session.status === 'active' ? `step '${currentStepId(session)}'` : session.status;
}

function vanished(session: Session): Refusal {
  return refuse(
    'session_lost',
    `The journal of session '${session.id}' (${workflowLabel(session)}, step '${currentStepId(session)}') was deleted while the server was running, so the session is gone.`,
    'tell your user that .deepwork/journal was deleted, as `git clean -fdx` does. Files made by the steps are still there: call get_workflows, then start_workflow to begin again.',
  );
}

export function foreignSession(id: string, reason: 'key' | 'git', kept: string): Refusal {
  const why =
    reason === 'git'
      ? 'it came with the repository (git tracks it)'
      : "it is not under this user's key";
  return refuse(
    'session_foreign',
    `Session '${id}' is not trusted: this user did not write its journal here; ${why}. It is kept as ${keptPlace(kept)}`,
    "start the workflow again to continue. If the journal is your user's own (copied from another machine, restored), ask them to run `deepwork repair --journal`.",
  );
}

export function damagedSession(id: string, kept: string): Refusal {
  return refuse(
    'session_damaged',
    `Session '${id}' cannot be read: its journal is damaged and is kept as ${kept}`,
    'tell your user; the bytes are kept, and `deepwork repair` lists them. Start the workflow again to continue.',
  );
}
