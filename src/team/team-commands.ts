// The beginning and end of every team call: it reads the state file, identifies the caller,
// imports a state file from before the journal, commits, and answers only when the view shows
// what was committed.

import path from 'node:path';
import { commit, unchanged } from '../core/decision.ts';
import { Refused, refusedWith } from '../core/refusal.ts';
import type { Processes } from '../core/session/ownership.ts';
import type { Agent } from '../core/team/agents.ts';
import { type Caller, COORDINATOR } from '../core/team/caller.ts';
import { hasOurFields, readClientFields } from '../core/team/found-state.ts';
import type { ModelsOf } from '../core/team/inbox.ts';
import { looksLike } from '../core/team/look-alikes.ts';
import { memberOf, modelsIn, type Roster, type TeamMember } from '../core/team/member.ts';
import type { IsLost, Stamp, Team, TeamDecision, TeamEvent } from '../core/team/state.ts';
import type { FileTodo } from '../core/team/todo-guard.ts';
import { decideCalled } from '../core/team/work.ts';
import type { AfterAnswer, Answers } from '../environment/answer-delivery.ts';
import type { Clock } from '../environment/clock.ts';
import { sweepTemporaryFiles } from '../files/sweep.ts';
import type { Journal } from '../journal/journal.ts';
import type { BrokenTeam, ReadTeamAgents, TeamAgents } from './agents.ts';
import { beginJournal } from './begin-journal.ts';
import { type Look, openStateFile, type StateFile } from './state-file.ts';
import { openTeamStore, type TeamStore } from './store.ts';
import { openViewFile } from './view-file.ts';

/** A call that has started. */
interface TeamEntry {
  readonly member: TeamMember;
  readonly fileTodos: readonly FileTodo[];
  /** Refused if the definition of the team is broken. */
  roster(): Roster;
}

export interface TeamCommands {
  readonly store: TeamStore;
  readonly file: StateFile;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Of the agents as last read. */
  readonly modelsOf: ModelsOf;
  /** Refused if the state file cannot be read. */
  enter(caller: Caller): Promise<TeamEntry>;
  /** Brings everything up to date, without a caller. */
  open(): Promise<Team>;
  commit<Answer>(decide: (team: Team) => TeamDecision<Answer>): Promise<Answer>;
  /** Records that an agent has called, and changes nothing else. */
  note(caller: Caller): Promise<void>;
  /** Writes the view; a failure is reported on stderr. */
  show(): Promise<void>;
  /** Whether the answer to an event is known to be lost. */
  readonly isLost: IsLost;
  /** The answer in progress reports this event. */
  expect(seq: number, afterAnswer: AfterAnswer): void;
  readonly inTurn: Answers['inTurn'];
  /** Records which answers arrived, unless a later event has done so. */
  confirmAnswers(): Promise<void>;
}

export interface TeamCommandsOptions {
  readonly journal: Journal;
  /** `.sgai/state.json` */
  readonly stateFile: string;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly agents: ReadTeamAgents;
  readonly answers: Answers;
  /** Reports a problem to a person. */
  readonly onProblem?: (line: string) => void;
  /** Throws if a folder must not be used. */
  readonly check?: (folder: string) => void;
}

export function openTeamCommands(options: TeamCommandsOptions): TeamCommands {
  const { journal, stateFile, clock, processes, agents, answers } = options;
  const { check = () => {}, onProblem = () => {} } = options;
  const folder = path.dirname(stateFile);
  const store = openTeamStore(
    journal,
    (seq) => answers.lose(answerKey(seq, processes.own())),
    onProblem,
  );
  const file = openStateFile(stateFile, check);
  let known: readonly Agent[] = [];
  let models = modelsIn(known);
  const modelsOf: ModelsOf = (agent) => models(agent);
  const view = openViewFile(file, { team: () => store.team, modelsOf, refresh: store.load });
  let swept = false;

  async function look(): Promise<TeamAgents> {
    const found = await agents([...store.team.callers]);
    if (found.kind === 'agents' && found.agents !== known) {
      known = found.agents;
      models = modelsIn(known);
    }
    return found;
  }

  /**
   * Imports the state file of a workspace that was used before there was a journal. Beside the
   * journal of someone else it is that person's, too, and is set aside.
   */
  async function importState(): Promise<void> {
    let found: Pick<Look, 'bytes' | 'found'>;
    if (await store.hasForeign()) {
      if ((await file.setAside('any')) === null) return;
      found = { bytes: null, found: {} };
    } else {
      found = await file.readWhole();
      if (!hasOurFields(found.found)) return;
    }
    const left = await beginJournal(commands, found);
    if (left === null) return;
    onProblem(left.message);
    throw new Refused(left);
  }

  async function open(): Promise<Team> {
    check(folder);
    if (!swept) sweepTemporaryFiles(folder);
    swept = true;
    const { seq } = await store.load();
    store.raise();
    if (seq === 0) await importState();
    return store.team;
  }

  async function show(): Promise<void> {
    try {
      await view.show();
    } catch (error) {
      onProblem(`state.json was not written: ${(error as Error).message}`);
    }
  }

  function isLost({ seq, process }: Parameters<IsLost>[0]): boolean {
    const fate = answers.fate(answerKey(seq, process));
    if (fate !== null) return fate === 'lost';
    return process !== processes.own() && processes.livenessOf(process) === 'gone';
  }

  /** Adds to an event which answers have arrived since the last one. */
  function stamped(event: TeamEvent, { process, unanswered }: Team): TeamEvent {
    const arrived = [...unanswered.values()].filter(isDelivered).map(({ seq }) => seq);
    const isAsked = event.type === 'sent' || event.type === 'updated';
    const stamp: Stamp = {
      ...(isAsked && process !== processes.own() && { process: processes.own() }),
      ...(arrived.length > 0 && { answered: arrived }),
    };
    if (Object.keys(stamp).length === 0) return event;
    return { ...event, data: { ...event.data, ...stamp } } as TeamEvent;
  }

  function isDelivered({ seq, process }: Parameters<IsLost>[0]): boolean {
    return answers.fate(answerKey(seq, process)) === 'delivered';
  }

  const commands: TeamCommands = {
    store,
    file,
    clock,
    processes,
    modelsOf,
    open,
    show,

    async enter(caller) {
      await open();
      const found = await look();
      const others = readClientFields((await view.check()).found);
      const twin = looksLike(
        caller.name,
        known.map(({ name }) => name),
      );
      if (twin !== null) throw lookAlike(caller.name, twin);
      const source = found.kind === 'agents' ? found.source : 'callers';
      const roster = { agents: known, source, currentModel: others.currentModel };
      return {
        member: memberOf(caller, roster),
        fileTodos: others.todos,
        roster() {
          if (found.kind === 'broken') throw brokenDefinition(found);
          return roster;
        },
      };
    },

    async commit(decide) {
      // A change that cannot be shown is not committed either.
      check(folder);
      let shown: Promise<void> | undefined;
      const stamping = (team: Team) => {
        const decision = decide(team);
        if (decision.kind !== 'commit') return decision;
        return { ...decision, event: stamped(decision.event, team) };
      };
      const answer = await store.commit(stamping, () => {
        shown = show();
      });
      await shown;
      return answer;
    },

    async note({ name }) {
      if (name === COORDINATOR || store.team.callers.has(name)) return;
      await commands.commit((team) => decideCalled(team, clock(), name));
    },

    isLost,
    expect(seq, afterAnswer) {
      const writer = store.team.unanswered.get(seq)?.process ?? processes.own();
      answers.expect(answerKey(seq, writer), afterAnswer);
    },
    inTurn: answers.inTurn,
    async confirmAnswers() {
      if (![...store.team.unanswered.values()].some(isDelivered)) return;
      await commands.commit(({ unanswered }) =>
        [...unanswered.values()].some(isDelivered)
          ? commit({ type: 'answered_before', at: clock(), data: {} }, null)
          : unchanged(null),
      );
    },
  };
  return commands;
}

/** With the writer, because a cut journal reuses numbers for events of another process. */
function answerKey(seq: number, writer: string): string {
  return `team:${seq}:${writer}`;
}

function lookAlike(name: string, twin: string): Refused {
  return refusedWith(
    'agent_look_alike',
    `The agent's name '${name}' looks like '${twin}'. Use a name that cannot be confused with it.`,
  );
}

function brokenDefinition({ file, reason }: BrokenTeam): Refused {
  return refusedWith(
    'team_definition_broken',
    `Could not read the team definition: ${file}: ${reason}`,
  );
}
