// Plays a history of entries on the decider, as the engine would: what has to be found out comes
// from the call, and each event is folded as it is committed.

import type { Decision } from '../../../src/core/decision.ts';
import {
  decideApproval,
  decideAsked,
  verdictOn,
} from '../../../src/core/session/approval-answer.ts';
import { decideGoBack, decideStart } from '../../../src/core/session/decide.ts';
import type { SessionDecision, SessionEvent } from '../../../src/core/session/events.ts';
import { evolve } from '../../../src/core/session/evolve.ts';
import { type Facts, type Need, needOf, withFact } from '../../../src/core/session/facts.ts';
import { decideLoopAnswer } from '../../../src/core/session/loop-answer.ts';
import { decideRunEnded } from '../../../src/core/session/nested-run.ts';
import { currentEntry, handedInBy, movementSince } from '../../../src/core/session/positions.ts';
import { progressOf, progressOfAll } from '../../../src/core/session/progress.ts';
import { jobStepGone } from '../../../src/core/session/refusals.ts';
import { currentStepId, type Json, type Session } from '../../../src/core/session/state.ts';
import { shownOutputs } from '../../../src/core/session/submission.ts';
import { decideVerdict, type VerdictCommand } from '../../../src/core/session/verdict.ts';
import { allOutputs, completedSteps } from '../../../src/core/session/view.ts';
import type { ApproveEntry } from '../../../src/core/workflow.ts';
import { readAtOnce } from '../../support/read-at-once.ts';
import { NOON, OWNER } from '../by-hand.ts';
import { isSame } from '../plain.ts';
import type { EntryCall, EntryFacts, Found, Submit } from './entry-calls.ts';
import { type PlainEntry, toEntriesWorkflow } from './plain-entries.ts';
import { pathOf } from './reference-entries.ts';

export interface Played {
  play(call: EntryCall): EntryFacts;
  start(found: Found): EntryFacts | null;
}

export function openEntries(entries: readonly PlainEntry[]): Played {
  const inUse = { workflow: toEntriesWorkflow(entries), hash: 'one', stepGone: jobStepGone };
  const common = { at: NOON, by: OWNER, inUse };
  const ending = { nth: 1, resumes: null };
  const events: SessionEvent[] = [];
  let session: Session | null = null;
  let late: VerdictCommand | null = null;
  let nested = 0;

  const findOut = (need: Need, found: Found) => {
    switch (need.kind) {
      case 'until': {
        const outcome = found.untils[need.loop.name] ?? 'done';
        if (outcome === 'done') return { kind: 'done' } as const;
        if (outcome === 'not_yet') return { kind: 'not_yet', said: 'still red' } as const;
        return { kind: 'cannot_tell', why: 'it was killed' } as const;
      }
      case 'items':
        return Array.from({ length: found.items[need.entry.name] ?? 0 }, (_, index) => index);
      case 'run':
        nested += 1;
        return nested.toString(16).padStart(8, '0');
    }
  };

  /** Decides until nothing has to be found out any more, and folds the event. */
  const commit = (
    found: Found,
    decide: (facts: Facts) => SessionDecision,
  ): Decision<SessionEvent> => {
    let facts: Facts = {};
    for (let tries = 0; tries < 20; tries += 1) {
      const decision = decide(facts);
      const need = needOf(decision);
      if (need === null) {
        if (decision.kind === 'commit') {
          events.push(decision.event);
          session = evolve(session, decision.event);
        }
        return decision;
      }
      facts = withFact(facts, need, findOut(need, found));
    }
    throw new Error('there is always something more to find out');
  };

  const wentTo = (arrival: number, stepIds: readonly string[]): string => {
    const now = session as Session;
    const where = movementSince(now, arrival, stepIds);
    if (where === 'ended') return now.status === 'completed' ? 'complete' : 'aborted';
    return where === 'stays' && now.position.limit !== undefined ? 'waiting' : where;
  };

  function submit(now: Session, call: Submit): string {
    const open = now.position.members.filter((id) => !progressOf(now, id)?.completedAt);
    const pool = open.length > 0 ? open : now.position.members;
    const pick = (which: readonly number[]) => which.map((each) => pool[each % pool.length] ?? '');
    const ids = now.position.members.filter((id) => pick(call.which).includes(id));
    const failing = pick(call.failing);
    const entry = currentEntry(now, inUse.workflow)?.place.entry;
    const [only] = ids;
    const bySteps = call.qualified || ids.length !== 1;
    const outputs: Json = Object.fromEntries(
      ids.map((id) => [bySteps ? `${id}.x` : 'x', pathOf(id)]),
    );
    const waits =
      now.position.limit !== undefined || entry?.kind === 'approve' || entry?.kind === 'run';
    const spoken = { notes: null, stepId: bySteps ? null : (only ?? null) };
    const finished = { outputs: waits ? {} : outputs, ...spoken };
    const read = readAtOnce(now, inUse, finished);
    if (read.kind === 'waits') return 'waits';
    if (read.kind !== 'run') return `${read.kind} ${JSON.stringify(read)}`;
    const shared = shownOutputs(read.members).filter((each) => each.shared);
    const judged = read.submitted.map(({ step }) => step.id);
    if (!isSame(judged, ids)) return `submitted ${judged.join(' ')}`;
    const files = (id: string) => ({ [pathOf(id)]: String(call.content) });
    const accepted = read.submitted
      .filter(({ step }) => !failing.includes(step.id))
      .map(({ step, outputs: given }) => ({
        step_id: step.id,
        outputs: Object.fromEntries(given) as Record<string, string>,
        shared_names: shared.filter((each) => each.step === step).map(({ output }) => output.name),
        files: files(step.id),
      }));
    const failed = judged
      .filter((id) => failing.includes(id))
      .map((id) => ({
        step_id: id,
        stage: 'review' as const,
        feedback: `${id} is bad`,
        files: files(id),
        details: [],
      }));
    const command: VerdictCommand = {
      ...common,
      arrival: read.arrival,
      call: finished,
      accepted,
      failed,
      ending,
      evidence: [],
      voided: [],
      faults: [],
      warnings: [],
      context: call.green === null ? {} : { green: call.green },
    };
    late = command;
    const decision = commit(call.found, (facts) =>
      decideVerdict(session as Session, { ...command, facts }),
    );
    if (decision.kind === 'refused') return `refused ${decision.refusal.code}`;
    return wentTo(read.arrival, judged);
  }

  function wait(now: Session, call: Extract<EntryCall, { kind: 'wait' }>): string {
    const finished = { outputs: {}, notes: null, stepId: null };
    const { arrival, limit } = now.position;
    const entry = currentEntry(now, inUse.workflow)?.place.entry;
    if (limit === undefined && entry?.kind !== 'approve' && entry?.kind !== 'run')
      return 'not here';
    const read = readAtOnce(now, inUse, finished);
    if (read.kind !== 'waits') return `${read.kind}`;
    const answer = { question: 'q-1', by: 'Ada', route: 'terminal' };
    switch (read.for.kind) {
      case 'run':
        return now.position.runAborted === undefined ? 'run_open' : 'refused run_aborted';
      case 'loop': {
        const choice = call.loop;
        if (choice === null) return 'ask';
        const decision = commit(call.found, (facts) =>
          decideLoopAnswer(session as Session, {
            ...common,
            arrival,
            call: finished,
            answer,
            choice,
            words: call.words,
            facts,
            ending,
          }),
        );
        if (decision.kind === 'refused') return `refused ${decision.refusal.code}`;
        return wentTo(arrival, []);
      }
      case 'approval':
        return approve(now, read.for.entry, call);
    }

    function approve(now: Session, { name, show }: ApproveEntry, { approves, words }: typeof call) {
      const handedIn = show.flatMap(handedInBy(now)).map(({ files }) => files);
      const files = Object.fromEntries(
        handedIn
          .flatMap((each) => Object.entries(each))
          .map(([path, content]) => [path, String(Number(content) + call.edited)]),
      );
      const said = approves === null ? null : { ...answer, approves, words };
      if (said === null && verdictOn(now, { name, files, said }) === null) {
        const asked = { at: NOON, by: OWNER, arrival, name, question: 'q-1', feedback: 'asked' };
        // As the engine does, and with what it says as feedback.
        decideAsked(now, { ...asked, files });
        return 'ask';
      }
      const decision = commit(call.found, (facts) =>
        decideApproval(session as Session, {
          ...common,
          arrival,
          call: finished,
          name,
          files,
          said,
          facts,
          ending,
        }),
      );
      if (decision.kind === 'refused') return `refused ${decision.refusal.code}`;
      const where = wentTo(arrival, []);
      return where === 'stays' ? 'refused approval_rejected' : where;
    }
  }

  function answerTo(call: EntryCall): string {
    const now = session as Session;
    if (call.kind === 'rebuild') {
      let folded: Session | null = null;
      for (const event of JSON.parse(JSON.stringify(events)) as SessionEvent[]) {
        folded = evolve(folded, event);
      }
      if (!isSame(folded, now)) return 'folded from its events it is another session';
      session = folded;
      return 'rebuilt';
    }
    if (now.status !== 'active' && call.kind !== 'go_to') return 'over';
    switch (call.kind) {
      case 'submit':
        return submit(now, call);
      case 'wait':
        return wait(now, call);
      case 'nested_ends': {
        const { at, arrival } = now.position;
        if (at?.kind !== 'run') return 'stays';
        const outcome = call.completed
          ? ({ kind: 'completed', outputs: { y: 'nested' } } as const)
          : ({ kind: 'aborted', reason: 'no use' } as const);
        const decision = commit(call.found, (facts) =>
          decideRunEnded(session as Session, {
            ...common,
            session: at.session,
            outcome,
            facts,
            ending,
          }),
        );
        if (decision.kind === 'refused') return `refused ${decision.refusal.code}`;
        return decision.kind === 'unchanged' ? 'stays' : wentTo(arrival, []);
      }
      case 'go_to': {
        const decision = commit(call.found, (facts) =>
          decideGoBack(session as Session, { ...common, stepId: call.name, facts }),
        );
        if (decision.kind === 'refused') return `refused ${decision.refusal.code}`;
        if (decision.kind !== 'commit' || decision.event.type !== 'went_back') return decision.kind;
        return `back ${[...decision.event.data.invalidated].sort().join(' ')}`;
      }
      case 'late': {
        if (late === null || late.arrival === now.position.arrival) return 'late';
        const command = late;
        const decision = commit({ untils: {}, items: {} }, (facts) =>
          decideVerdict(session as Session, { ...command, facts }),
        );
        return decision.kind === 'commit' ? 'a late call had an effect' : 'late';
      }
    }
  }

  return {
    play(call) {
      const answer = answerTo(call);
      return factsOf(session as Session, answer, inUse.workflow);
    },
    start(found) {
      const started = commit(found, (facts) =>
        decideStart({
          at: NOON,
          id: '0000abcd',
          source: 'job',
          owner: OWNER,
          parentId: null,
          level: 1,
          jobName: 'job',
          jobDir: '/jobs/job',
          goal: 'goal',
          instanceId: null,
          context: { green: false },
          branch: { branch_name: 'b' },
          inUse,
          facts,
        }),
      );
      return started.kind === 'commit'
        ? factsOf(session as Session, 'started', inUse.workflow)
        : null;
    },
  };
}

function factsOf(
  session: Session,
  answer: string,
  workflow: ReturnType<typeof toEntriesWorkflow>,
): EntryFacts {
  const { position } = session;
  const here = currentEntry(session, workflow);
  const entry = here?.place.entry;
  const isOpen =
    position.feedback !== null && entry?.kind === 'steps' && position.limit === undefined;
  const isByGate = isOpen && position.reason !== null;
  const done = [...completedSteps(session)].sort(
    (a, b) => a.completedSeq - b.completedSeq || (a.stepId < b.stepId ? -1 : 1),
  );
  return {
    answer,
    status: session.status,
    arrival: position.arrival,
    entry: position.entryIndex,
    members: position.members,
    current: currentStepId(session),
    loops: (position.loops ?? []).map(({ name, pass, said = null }) => [name, pass, said]),
    limit: position.limit === undefined ? null : [position.limit.loop, position.limit.pass],
    feedback: position.limit !== undefined ? '(limit)' : isByGate ? '(open)' : position.feedback,
    completed: done.map(({ stepId }) => stepId),
    attempts: Object.fromEntries(
      progressOfAll(session)
        .filter(({ attempts }) => attempts > 0)
        .map(({ stepId, attempts }) => [stepId, attempts]),
    ),
    allOutputs: allOutputs(session),
    invalidated: answer.startsWith('back') ? answer.split(' ').slice(1) : null,
    shown: entry?.kind === 'for_each' ? (here?.members ?? []).map(({ id }) => id) : [],
  };
}
