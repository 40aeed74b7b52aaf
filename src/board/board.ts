// The read model: what people see of the runs in a project. It reads the journal and folds it;
// it decides nothing and never writes to disk.

import { inNewCall } from '../async/call-scope.ts';
import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { Refused } from '../core/refusal.ts';
import { worktreeOf } from '../core/run/work-folder.ts';
import type { SessionEvent } from '../core/session/events.ts';
import type { Processes } from '../core/session/ownership.ts';
import { livenessOfAll, stackOf } from '../core/session/stack.ts';
import { isSessionId, type Session } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { Agent } from '../core/team/agents.ts';
import type { Team } from '../core/team/state.ts';
import { fillTemplate } from '../core/template.ts';
import { type Definition, type Step, stepsOf, type Workflow } from '../core/workflow.ts';
import { readInstructions } from '../definitions/jobs/instructions.ts';
import type { Clock } from '../environment/clock.ts';
import type { Unsubscribe } from '../journal/journal.ts';
import type { ReadTeamAgents } from '../team/agents.ts';
import { TEAM_STREAM } from '../team/store.ts';
import { type AgentNames, agentNames } from './agent-names.ts';
import { archivedRun } from './archived-runs.ts';
import { describeRun, handInOf } from './describe-run.ts';
import {
  describeTeamRun,
  unattendedFacts,
  unattendedInWords,
  withSession,
} from './describe-unattended.ts';
import { eventInWords } from './event-words.ts';
import { damagedRun, findRunId, unknownEvent, unknownRun } from './find-run.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';
import { openRunList, type RunListDeps } from './list-runs.ts';
import { openQuestions, questionsByRun } from './open-questions.ts';
import { MAX_ENDED, orderRuns, withoutOlder } from './order-runs.ts';
import { openRunReader } from './read-runs.ts';
import { openTeamReader } from './read-team.ts';
import { openUnattendedReader } from './read-unattended.ts';
import { openRecent, type Period, type Recent } from './recent.ts';
import type {
  Board,
  DamagedRun,
  OpenQuestion,
  Run,
  RunDetail,
  RunQuestion,
  ShownEvent,
} from './run.ts';
import { askedInRuns, closedAt, questionsOf } from './run-questions.ts';
import { movedAt, type RunContext } from './run-state.ts';
import { describeWorkflow } from './run-workflow.ts';
import { findSubmitted, type SubmittedText } from './submitted-file.ts';
import { type MessagePage, pageOfMessages, type TeamMessage } from './team-messages.ts';
import { describeTeam } from './team-overview.ts';

/** The definition that a run follows, as it is on disk now. */
export interface RunDefinition {
  readonly definition: Definition;
  readonly workflow: Workflow;
}

export interface BoardDeps extends RunListDeps {
  readonly processes: Processes;
  /** What people should know about the project as a whole. */
  readonly warnings: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly stalledAfterMinutes: () => Promise<number>;
  readonly teamAgents: ReadTeamAgents;
  /** Null if it cannot be read. */
  readonly definitionOf: (session: Session) => Promise<RunDefinition | null>;
}

export interface ProjectBoard {
  board(options?: { readonly all?: boolean }): Promise<Board>;
  /** What happened lately over all runs. */
  recent(period: Period): Promise<Recent>;
  /**
   * By id, by a beginning of it, or `last`. Refuses if there is no such run. `sessions`: without the
   * runs of a team, which have no session.
   */
  run(wanted: string, of?: 'all' | 'sessions'): Promise<RunDetail>;
  /** The run as it was right after that event; ages are relative to the time of the event. */
  runAt(wanted: string, seq: number): Promise<RunDetail>;
  /** Calls back after a stream changed; `seq` is its last event, if it is known. */
  watch(onChange: (stream: string, seq: number | null) => void): Unsubscribe;
  submittedFile(wanted: string, sha256: string): Promise<SubmittedText>;
  messages(page: MessagePage): Promise<readonly TeamMessage[]>;
}

export function openBoard(deps: BoardDeps): ProjectBoard {
  const { paths, reader, processes, clock } = deps;
  const runs = openRunReader(reader);
  const readTeam = openTeamReader(reader);
  const unattended = openUnattendedReader(reader);
  const { ids, readAll, readSince, setAside } = openRunList(deps, runs);

  /** The team, the names of agents, and the open questions. */
  async function readContext(active: readonly FoldedRun[]): Promise<BoardContext> {
    const { team, damage } = await readTeam();
    const agents = await agentsOf(team.callers);
    const sessions = active.map(({ session }) => session);
    const names = agentNames(
      team,
      agents,
      sessions.map(({ owner }) => owner),
    );
    const questions = openQuestions(team, sessions, names);
    return { sessions, team, damage, agents, names, questions };
  }

  async function runContexts({ sessions, team, names, questions }: BoardContext) {
    const askedIn = askedInRuns(team);
    const asked = questionsByRun(questions);
    const stalledAfterMinutes = await deps.stalledAfterMinutes();
    const now = clock();
    return (session: Session): RunContext => {
      const stack = stackOf(sessions, session.owner.identity);
      return {
        now,
        names,
        askedAt: askedIn.get(session.id) ?? null,
        movedAt: movedAt(session, stack, askedIn),
        livenessOf: processes.livenessOf,
        isOrphaned: livenessOfAll(stack, processes.livenessOf) === 'gone',
        questions: asked.get(session.id) ?? [],
        closed: closedAt(team, session, names),
        stalledAfterMinutes,
      };
    };
  }

  async function agentsOf(callers: ReadonlySet<string>): Promise<readonly Agent[]> {
    const found = await deps.teamAgents([...callers]).catch(() => null);
    if (found?.kind === 'agents') return found.agents;
    return [...callers].map((name) => ({ name, models: [], command: null }));
  }

  /** In one call scope, so that every part sees the same state of the journal. */
  const board: ProjectBoard['board'] = (options) => inNewCall(() => boardNow(options));

  async function boardNow({ all = false } = {}): Promise<Board> {
    const { active, ended, damaged } = await readAll(all);
    const context = await readContext(active);
    const { team, damage, agents, questions } = context;
    const contextOf = await runContexts(context);
    const last = all ? ended : byEnd(ended).slice(0, MAX_ENDED);
    const described: Run[] = [];
    for (const run of [...active, ...last]) {
      const shown = await withUnattended(run.session, describeRun(run, contextOf(run.session)));
      described.push(await withHandIn(run.session, shown));
    }
    described.push(...(await teamRuns(questions, all)));
    const listed = orderRuns(described);
    const teamDamage: DamagedRun[] =
      damage === null ? [] : [{ session_id: TEAM_STREAM, why: damage, set_aside: null }];
    return {
      workspace: paths.root,
      at: clock(),
      // Runs of workflows and of teams together.
      runs: all ? listed : withoutOlder(listed),
      questions,
      damaged: [...damaged, ...teamDamage, ...(await setAside())],
      team: describeTeam(team, agents, described),
      warnings: await deps.warnings(),
    };
  }

  const recent = openRecent({
    paths,
    clock,
    runs,
    unattended,
    readContext,
    readSince,
    setAside,
    warnings: deps.warnings,
    teamRuns: (questions) => teamRuns(questions, true),
    async describer(context) {
      const contextOf = await runContexts(context);
      return (folded) =>
        withUnattended(folded.session, describeRun(folded, contextOf(folded.session)));
    },
  });

  async function withUnattended(session: Session, run: Run): Promise<Run> {
    const record = await unattended.find(session.id);
    if (record === null) return run;
    const present = { now: clock(), livenessOf: processes.livenessOf };
    return { ...run, ...unattendedFacts(withSession(record, session), present) };
  }

  async function withHandIn(session: Session, run: Run): Promise<Run> {
    if (run.status !== 'active' || !run.at_terminal || run.waits_at !== undefined) return run;
    const found = await deps.definitionOf(session).catch(() => null);
    return found === null ? run : { ...run, ...handInOf(session, found.workflow) };
  }

  async function teamRuns(questions: readonly OpenQuestion[], all: boolean): Promise<Run[]> {
    const ids = questions.map(({ id }) => id);
    const context = { now: clock(), livenessOf: processes.livenessOf, questions: ids };
    const found = (await unattended.ofTeam()).map((record) => describeTeamRun(record, context));
    const ended = found.filter(({ status }) => status !== 'active');
    ended.sort((a, b) => ((a.ended_at ?? '') < (b.ended_at ?? '') ? 1 : -1));
    const open = found.filter(({ status }) => status === 'active');
    return [...open, ...(all ? ended : ended.slice(0, MAX_ENDED))];
  }

  /** Null if no run of the team has this id, or another run is the last. */
  async function teamRun(wanted: string): Promise<RunDetail | null> {
    const all = await teamRuns([], true);
    const found =
      wanted === 'last'
        ? await laterThanSessions(all)
        : all.filter(({ session_id }) => wanted !== '' && session_id.startsWith(wanted));
    const [{ session_id: id } = { session_id: '' }, ...others] = found;
    if (id === '' || others.length > 0) return null;
    const { active } = await readAll(false);
    const { questions } = await readContext(active);
    const run = (await teamRuns(questions, true)).find(({ session_id }) => session_id === id);
    if (run === undefined) return null;
    const workflow = { entries: [], steps: [] };
    return { run, workflow, events: [], questions: [], ...(await turnsOf(id)) };
  }

  /** The last of these runs, unless something happened later in a session. */
  async function laterThanSessions(ofTeam: readonly Run[]): Promise<readonly Run[]> {
    const [last] = [...ofTeam].sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
    const session = await lastSession();
    const isLater = last !== undefined && (session?.lastActivityAt ?? '') <= last.last_activity_at;
    return isLater ? [last] : [];
  }

  async function turnsOf(id: string): Promise<Pick<RunDetail, 'turns'>> {
    const events = await unattended.events(id);
    if (events.length === 0) return {};
    return { turns: events.map((event, index) => unattendedInWords(event, index + 1)) };
  }

  async function idOf(wanted: string): Promise<string> {
    const id =
      wanted === 'last' ? ((await lastSession())?.id ?? null) : findRunId(await ids(), wanted);
    if (id === null) throw await notFound(wanted);
    return id;
  }

  /** Includes the project's warnings, because one may explain why the run is missing. */
  async function notFound(wanted: string): Promise<Refused> {
    const refusal = (await archivedRun(paths.root, wanted)) ?? unknownRun(wanted);
    const message = [refusal.message, ...(await deps.warnings())].join('. ');
    return new Refused({ ...refusal, message });
  }

  /** The one with the latest activity, not the one started last, which may be nested in it. */
  async function lastSession(): Promise<Session | null> {
    const { active, ended } = await readAll(false);
    const all = [...active, ...ended].map(({ session }) => session);
    return all.sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))[0] ?? null;
  }

  async function detail(
    { session }: FoldedRun,
    { events, words }: FoldedEvents,
    run: Run,
    questions: readonly RunQuestion[],
  ): Promise<RunDetail> {
    const found = await deps.definitionOf(session).catch(() => null);
    const texts = new Map<string, string>();
    for (const step of found === null ? [] : stepsOf(found.workflow)) {
      const text = await instructionsOf(found?.definition, step, session);
      if (text !== null) texts.set(step.id, text);
    }
    return {
      run,
      workflow: describeWorkflow(
        found?.workflow ?? null,
        session,
        events,
        ({ id }) => texts.get(id) ?? null,
      ),
      events: words,
      questions,
    };
  }

  async function run(wanted: string, of: 'all' | 'sessions' = 'all'): Promise<RunDetail> {
    const ofTeam = of === 'all' ? await teamRun(wanted) : null;
    if (ofTeam !== null) return ofTeam;
    const id = await idOf(wanted);
    const found = await runs.find(id);
    if (found.kind === 'missing') throw new Refused(unknownRun(wanted));
    if (found.kind === 'damaged') throw new Refused(damagedRun(id, found.why));
    const { active } = await readAll(false);
    const context = await readContext(active);
    const { team, names } = context;
    const contextOf = await runContexts(context);
    const history = await foldInWords(await runs.events(id), names);
    const folded = history.folded ?? found.run;
    const described = await withUnattended(
      folded.session,
      describeRun(folded, contextOf(folded.session)),
    );
    const own = await detail(folded, history, described, questionsOf(team, id, names));
    return { ...own, ...(await turnsOf(id)) };
  }

  async function runAt(wanted: string, seq: number): Promise<RunDetail> {
    const ofTeam = await teamRun(wanted);
    if (ofTeam !== null) throw new Refused(unknownEvent(ofTeam.run.session_id, seq, 0));
    const id = await idOf(wanted);
    const events = await runs.events(id);
    const { active } = await readAll(false);
    const { team, names } = await readContext(active);
    const history = await foldInWords(events.slice(0, seq), names);
    const { folded } = history;
    if (folded === null || seq > events.length)
      throw new Refused(unknownEvent(id, seq, events.length));
    const { lastActivityAt: now, position } = folded.session;
    const open = [...team.questions.values()].filter(({ about, askedAt, outcome }) => {
      if (about?.session !== id || about.arrival !== position.arrival || askedAt > now)
        return false;
      return outcome.kind === 'open' || outcome.at > now;
    });
    return detail(
      folded,
      history,
      describeRun(folded, {
        now,
        names,
        askedAt: null,
        movedAt: now,
        // The process that wrote the event was alive then.
        livenessOf: () => 'alive',
        isOrphaned: false,
        questions: open.map((each) => each.id),
        closed: null,
        stalledAfterMinutes: await deps.stalledAfterMinutes(),
      }),
      questionsOf(team, id, names).filter(({ asked_at }) => asked_at <= now),
    );
  }

  async function lastSeq(stream: string): Promise<number | null> {
    if (stream === TEAM_STREAM) return (await readTeam()).team.seq;
    const id = stream.slice(SESSION_STREAMS.length);
    if (!stream.startsWith(SESSION_STREAMS) || !isSessionId(id)) return null;
    const found = await runs.find(id);
    return found.kind === 'run' ? found.run.session.seq : null;
  }

  async function parentOf(id: string): Promise<string | null> {
    const found = await runs.find(id);
    return found.kind === 'run' ? found.run.session.parentId : null;
  }

  return {
    board,
    recent: (period) => inNewCall(() => recent(period)),
    run,
    runAt,
    watch: (onChange) =>
      reader.watch((stream) => {
        lastSeq(stream)
          .catch(() => null)
          .then((seq) => onChange(stream, seq));
      }),
    async messages(page) {
      const { team } = await readTeam();
      const agents = await agentsOf(team.callers);
      return pageOfMessages(team, agents, page);
    },
    async submittedFile(wanted, sha256) {
      const id = await idOf(wanted);
      const folder = (await worktreeOf(id, { runOf: unattended.find, parentOf })) ?? paths.root;
      return findSubmitted(folder, await runs.events(id), sha256);
    },
  };
}

interface BoardContext {
  readonly sessions: readonly Session[];
  readonly team: Team;
  readonly damage: string | null;
  readonly agents: readonly Agent[];
  readonly names: AgentNames;
  readonly questions: readonly OpenQuestion[];
}

function byEnd(runs: readonly FoldedRun[]): FoldedRun[] {
  const endOf = ({ session }: FoldedRun) => session.endedAt ?? '';
  return [...runs].sort((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
}

interface FoldedEvents {
  readonly events: readonly SessionEvent[];
  readonly words: readonly ShownEvent[];
  readonly folded: FoldedRun | null;
}

/** In slices: a run may have thousands of events, and the process serves others meanwhile. */
async function foldInWords(
  events: readonly SessionEvent[],
  names: AgentNames,
): Promise<FoldedEvents> {
  const words: ShownEvent[] = [];
  let folded: FoldedRun | null = null;
  for (const event of events) {
    if (sliceIsOver()) await nextSlice();
    const after: FoldedRun = foldRun(folded, event);
    words.push(eventInWords(folded?.session ?? null, event, after.session, names));
    folded = after;
  }
  return { events, words, folded };
}

async function instructionsOf(
  definition: Definition | undefined,
  step: Step,
  session: Session,
): Promise<string | null> {
  if (definition === undefined) return null;
  const text = await readInstructions(definition, step).catch(() => null);
  return text === null ? null : fillTemplate(text, session);
}
