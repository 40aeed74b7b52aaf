// Where every call of the team begins and ends: it looks at the state file, finds out who
// is calling, takes over a file from before the journal, commits, and does not answer
// before the view shows what was committed.

import path from 'node:path';
import { Refused, refuse } from '../core/refusal.ts';
import type { Agent } from '../core/team/agents.ts';
import { type Caller, COORDINATOR } from '../core/team/caller.ts';
import type { Decision } from '../core/team/decision.ts';
import { hasOurFields, importFrom, othersIn } from '../core/team/found-state.ts';
import type { ModelsOf } from '../core/team/inbox.ts';
import { type Member, memberOf, modelsIn, type Roster } from '../core/team/member.ts';
import type { Team } from '../core/team/state.ts';
import { decideCalled, type FileTodo } from '../core/team/work.ts';
import { sweepTemporaryFiles } from '../files/sweep.ts';
import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../workspace/clock.ts';
import type { BrokenTeam, ReadTeamAgents, TeamAgents } from './agents.ts';
import { openStateFile, type StateFile } from './state-file.ts';
import { openTeamStore, type TeamStore } from './store.ts';
import { openViewFile } from './view-file.ts';

/** A call that has begun. */
export interface Visit {
  readonly member: Member;
  readonly fileTodos: readonly FileTodo[];
  /** Refused if the definition of the team is broken. */
  roster(): Roster;
}

export interface Desk {
  readonly store: TeamStore;
  readonly file: StateFile;
  readonly clock: Clock;
  /** Of the agents as they were last seen. */
  readonly modelsOf: ModelsOf;
  /** Refused if the state file cannot be read. */
  enter(caller: Caller): Promise<Visit>;
  /** Everything up to date, without anybody calling. */
  open(): Promise<Team>;
  commit<Answer>(decide: (team: Team) => Decision<Answer>): Promise<Answer>;
  /** Remembers who has called without changing anything else. */
  note(caller: Caller): Promise<void>;
  /** Shows the team as it is; what fails is told on stderr. */
  show(): Promise<void>;
}

export interface DeskOptions {
  readonly journal: Journal;
  /** `.sgai/state.json` */
  readonly stateFile: string;
  readonly clock: Clock;
  readonly agents: ReadTeamAgents;
  /** Throws if a folder must not be used. */
  readonly check?: (folder: string) => void;
}

export function openDesk(options: DeskOptions): Desk {
  const { journal, stateFile, clock, agents, check = () => {} } = options;
  const folder = path.dirname(stateFile);
  const store = openTeamStore(journal);
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

  /** A workspace that was used before there was a journal. */
  async function takeOver(): Promise<void> {
    const { bytes, found } = await file.readWhole();
    if (bytes === null || !hasOurFields(found)) return;
    const at = clock();
    await store.begin({ type: 'imported', at, data: importFrom(found, at) });
    await store.load();
  }

  async function open(): Promise<Team> {
    check(folder);
    if (!swept) sweepTemporaryFiles(folder);
    swept = true;
    const { seq } = await store.load();
    store.raise();
    if (seq === 0) await takeOver();
    return store.team;
  }

  async function show(): Promise<void> {
    try {
      await view.show();
    } catch (error) {
      process.stderr.write(`deepwork: state.json was not written: ${(error as Error).message}\n`);
    }
  }

  const desk: Desk = {
    store,
    file,
    clock,
    modelsOf,
    open,
    show,

    async enter(caller) {
      await open();
      const found = await look();
      const others = othersIn((await view.check()).found);
      const roster = { agents: known, currentModel: others.currentModel };
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
      // What cannot be shown is not committed either.
      check(folder);
      let shown: Promise<void> | undefined;
      const answer = await store.commit(decide, () => {
        shown = show();
      });
      await shown;
      return answer;
    },

    async note({ name }) {
      if (name === COORDINATOR || store.team.callers.has(name)) return;
      await desk.commit((team) => decideCalled(team, clock(), name));
    },
  };
  return desk;
}

function brokenDefinition({ file, reason }: BrokenTeam): Refused {
  return new Refused(
    refuse('team_definition_broken', `Could not read the team definition: ${file}: ${reason}`),
  );
}
