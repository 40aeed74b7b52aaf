// The team of a workspace: its state and todos, its mail, its questions.

import type { Caller } from '../core/team/caller.ts';
import type { ModelsOf } from '../core/team/inbox.ts';
import type { Todo } from '../core/team/state.ts';
import { decideTodos, decideUpdate, type Updated } from '../core/team/work.ts';
import type { AfterAnswer } from '../environment/answers.ts';
import { type Mail, openMail } from './mail.ts';
import { openQuestionLedger, type QuestionLedger } from './question-ledger.ts';
import { type Repaired, repairTeam } from './repair.ts';
import { openTeamCommands, type TeamCommandsOptions } from './team-commands.ts';

interface Update {
  /** Absent: as it is. */
  readonly status?: string | undefined;
  readonly task?: string | undefined;
  readonly note?: string | undefined;
}

export interface TeamRoom {
  /** Recognises a note that is sent again because its answer was lost. */
  update(caller: Caller, update: Update, afterAnswer: AfterAnswer): Promise<Updated>;
  writeTodos(caller: Caller, todos: readonly Todo[]): Promise<readonly Todo[]>;
  readTodos(caller: Caller): Promise<readonly Todo[]>;
  readonly mail: Mail;
  readonly questions: QuestionLedger;
  /** Of the agents as the last call found them. */
  readonly modelsOf: ModelsOf;
  /** Remembers somebody who called a tool that has no business with the team's state. */
  note(caller: Caller): Promise<void>;
  repair(): Promise<Repaired>;
  /** Writes down which answers arrived, for processes that come later. */
  confirmAnswers(): Promise<void>;
}

export function openTeamRoom(options: TeamCommandsOptions): TeamRoom {
  const desk = openTeamCommands(options);
  const { clock } = desk;
  return {
    async update(caller, { status, task, note }, afterAnswer) {
      const { member, fileTodos } = await desk.enter(caller);
      const call = JSON.stringify(['update', member.name, status, task, note]);
      return desk.inTurn(call, afterAnswer, async () => {
        const { isLost } = desk;
        const updated = await desk.commit((team) =>
          decideUpdate(team, { at: clock(), by: member, status, task, note, fileTodos, isLost }),
        );
        desk.expect(updated.seq, afterAnswer);
        return updated;
      });
    },

    async writeTodos(caller, todos) {
      const { member } = await desk.enter(caller);
      return desk.commit(() => decideTodos({ at: clock(), by: member, todos }));
    },

    async readTodos(caller) {
      await desk.enter(caller);
      await desk.note(caller);
      return desk.store.team.todos;
    },

    mail: openMail(desk),
    questions: openQuestionLedger(desk),
    modelsOf: desk.modelsOf,

    async note(caller) {
      await desk.open();
      await desk.note(caller);
    },

    repair: () => repairTeam(desk),
    confirmAnswers: desk.confirmAnswers,
  };
}
