// All runs: those that need a person first, then active ones, then ended ones.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Board, DamagedRun } from '../../../board/run.ts';
import { Icon } from '../parts/icon.tsx';
import { Absent, AgeNote, Empty } from '../parts/notes.tsx';
import type { Answer } from '../store/resources.ts';
import {
  countOf,
  GROUPS,
  type Group,
  type GroupedRuns,
  groupRuns,
  type ListedRun,
} from './group-runs.ts';
import { useGrowingLimit } from './growing-limit.ts';
import { useHeld } from './hold-order.ts';
import { openRunSharing } from './reuse-unchanged-runs.ts';
import { FoldedRow, RunRow } from './run-row.tsx';

export interface RunsViewProps {
  readonly board: Answer<Board>;
  readonly whole: boolean;
  showWhole(): void;
}

const TITLES: Readonly<Record<Group, string>> = {
  needs_you: 'Needs you',
  running: 'Running',
  ended: 'Ended',
};

/** How many ended runs the server lists, unless all are requested. */
const MAX_ENDED = 10;

export function RunsView({ board, whole, showWhole }: RunsViewProps) {
  const { value } = board;
  if (value === null) return <Absent answer={board} />;
  return (
    <div class="runs">
      <h1 class="unseen">Runs</h1>
      <AgeNote answer={board} />
      <Warnings texts={value.warnings} />
      <Damaged runs={value.damaged} />
      {value.runs.length === 0 ? (
        <NoRuns />
      ) : (
        <RunGroups board={value} whole={whole} showWhole={showWhole} />
      )}
    </div>
  );
}

function RunGroups(props: { board: Board; whole: boolean; showWhole(): void }) {
  const { board, whole, showWhole } = props;
  const share = useMemo(openRunSharing, []);
  const all = useMemo(() => share(board.runs), [share, board.runs]);
  const grouped = useMemo(() => groupRuns(all), [all]);
  const held = useHeld(grouped, sameOrder);
  const limit = useGrowingLimit(all.length);
  const runs = new Map(all.map((run) => [run.session_id, run]));
  const questions = new Map(board.questions.map((question) => [question.id, question.text]));
  const ended = all.filter(({ state }) => state === null).length;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpened(
      (before) =>
        new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]),
    );
  const row = ({ run, depth, folded }: ListedRun): ComponentChildren => {
    const id = run.session_id;
    const now = runs.get(id) ?? run;
    const asked = now.questions
      .map((each) => questions.get(each))
      .find((text) => text !== undefined);
    const drawn = <RunRow key={id} run={now} depth={depth} question={asked ?? null} />;
    if (folded.length === 0) return drawn;
    const isOpen = opened.has(id);
    return [
      drawn,
      <FoldedRow
        key={`${id} ended`}
        count={folded.length}
        depth={depth + 1}
        isOpen={isOpen}
        toggle={() => toggle(id)}
      />,
      isOpen && folded.map(row),
    ];
  };
  const drawn = (group: Group) => {
    const before = GROUPS.slice(0, GROUPS.indexOf(group));
    const above = before.reduce((sum, each) => sum + held.shown[each].length, 0);
    return held.shown[group].slice(0, Math.max(0, limit - above));
  };
  return (
    <div {...held.handlers}>
      {held.isOld && (
        <button type="button" class="news" onClick={held.update}>
          The order has changed. Update
        </button>
      )}
      {GROUPS.filter((group) => held.shown[group].length > 0).map((group) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`}>
            {TITLES[group]} <span class="soft">{countOf(held.shown, group)}</span>
          </h2>
          <ul class="rows">{drawn(group).map(row)}</ul>
        </section>
      ))}
      {!whole && ended >= MAX_ENDED && (
        <button type="button" onClick={showWhole}>
          Show all that ended
        </button>
      )}
    </div>
  );
}

function sameOrder(a: GroupedRuns, b: GroupedRuns): boolean {
  return GROUPS.every(
    (group) =>
      a[group].length === b[group].length &&
      a[group].every((row, index) => isSameRow(row, b[group][index])),
  );
}

function isSameRow(a: ListedRun, b: ListedRun | undefined): boolean {
  return (
    a.run.session_id === b?.run.session_id &&
    a.depth === b.depth &&
    a.folded.length === b.folded.length &&
    a.folded.every((row, index) => isSameRow(row, b.folded[index]))
  );
}

/** About the project as a whole; the last line of each is a command. */
function Warnings({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  const lines = texts.flatMap((text) => text.split('\n'));
  return (
    <section class="note need" aria-label="Warnings">
      <Icon name="warning" />
      <div>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </section>
  );
}

function Damaged({ runs }: { readonly runs: readonly DamagedRun[] }) {
  if (runs.length === 0) return null;
  return (
    <section class="note bad" aria-label="Damaged sessions">
      <Icon name="warning" />
      <div>
        {runs.map(({ session_id, why, set_aside }) => (
          <p key={session_id}>
            The journal of <code>{session_id}</code>{' '}
            {set_aside === 'foreign' ? 'cannot be trusted' : 'is damaged'}: {why}
          </p>
        ))}
        {runs.some(({ set_aside }) => set_aside === null) && (
          <p>
            <code>deepwork verify</code> shows where, <code>deepwork repair</code> sets it aside.
          </p>
        )}
        {runs.some(({ set_aside }) => set_aside === 'foreign') && (
          <p>
            <code>deepwork repair --journal</code> takes over what is yours.
          </p>
        )}
      </div>
    </section>
  );
}

function NoRuns() {
  return (
    <Empty title="No agent has started a workflow here yet">
      <p>
        Ask your agent to start one, for example: <q>Start the deepwork workflow new_job.</q>
      </p>
      <p>
        <a href="#/workflows">See the workflows of this project</a>
      </p>
    </Empty>
  );
}
