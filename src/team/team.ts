// The team of a workspace: its state and todos, its mail, its questions.

import type { Caller } from '../core/team/caller.ts';
import type { ModelsOf } from '../core/team/inbox.ts';
import type { Team, Todo } from '../core/team/state.ts';
import { decideTodos, decideUpdate, type Updated } from '../core/team/work.ts';
import type { AfterAnswer } from '../environment/answer-delivery.ts';
import { type Mail, openMail } from './mail.ts';
import { openQuestionLedger, type QuestionLedger } from './question-ledger.ts';
import { type Repaired, repairTeam } from './repair.ts';
import { openTeamCommands, type TeamCommandsOptions } from './team-commands.ts';

interface Update {
  /** Absent: unchanged. */
  readonly status?: string | undefined;
  readonly task?: string | undefined;
  readonly note?: string | undefined;
}

export interface TeamService {
  /** Recognizes a note sent again because its answer was lost. */
  update(caller: Caller, update: Update, afterAnswer: AfterAnswer): Promise<Updated>;
  writeTodos(caller: Caller, todos: readonly Todo[]): Promise<readonly Todo[]>;
  readTodos(caller: Caller): Promise<readonly Todo[]>;
  readonly mail: Mail;
  readonly questions: QuestionLedger;
  /** Of the agents as last read. */
  readonly modelsOf: ModelsOf;
  /** As it is now, without a caller; it is updated in place by the next call. */
  look(): Promise<Team>;
  /** Records the caller of a tool that does not use the team's state. */
  note(caller: Caller): Promise<void>;
  repair(): Promise<Repaired>;
  /** Records which answers arrived, for later processes, and releases the files held for writing. */
  close(): Promise<void>;
}

export function openTeamService(options: TeamCommandsOptions): TeamService {
  const commands = openTeamCommands(options);
  const { clock } = commands;
  return {
    async update(caller, { status, task, note }, afterAnswer) {
      const { member, fileTodos } = await commands.enter(caller);
      const call = JSON.stringify(['update', member.name, status, task, note]);
      return commands.inTurn(call, afterAnswer, async () => {
        const { isLost } = commands;
        const updated = await commands.commit((team) =>
          decideUpdate(team, { at: clock(), by: member, status, task, note, fileTodos, isLost }),
        );
        commands.expect(updated.seq, afterAnswer);
        return updated;
      });
    },

    async writeTodos(caller, todos) {
      const { member } = await commands.enter(caller);
      return commands.commit(() => decideTodos({ at: clock(), by: member, todos }));
    },

    async readTodos(caller) {
      await commands.enter(caller);
      await commands.note(caller);
      return commands.store.team.todos;
    },

    mail: openMail(commands),
    questions: openQuestionLedger(commands),
    modelsOf: commands.modelsOf,
    look: commands.open,

    async note(caller) {
      await commands.open();
      await commands.note(caller);
    },

    repair: () => repairTeam(commands),
    async close() {
      await commands.confirmAnswers().catch(() => {});
      commands.file.close();
    },
  };
}
