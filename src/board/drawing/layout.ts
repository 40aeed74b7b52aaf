// Turns a workflow, with the progress of a session if there is one, into a drawing: one box for a
// step, a frame around concurrent steps. A kind of entry that groups others becomes a frame with a
// sequence in it.

import { counted, howOften } from '../../core/wording.ts';
import type { Run, RunStep, ShownEntry, StepProgress } from '../run.ts';
import { ENDED_WORDS, noteAtStep, notesAtMoment } from '../run-words.ts';
import { isTurnedDown } from '../step-submissions.ts';
import { arrange, type BoxItem, type DrawnItem, type FrameItem } from './arrange.ts';
import type { BoxState, Drawing } from './drawing.ts';
import type { Medium } from './medium.ts';

type ShownOfStep = Pick<
  RunStep,
  'id' | 'name' | 'outputs' | 'rules' | 'checks' | 'reviews' | 'when'
>;

/** `RunWorkflow` is one; without a session no step has progress. */
export interface WorkflowToDraw {
  readonly entries: readonly ShownEntry[];
  readonly steps: readonly StepToDraw[];
}

export type StepToDraw = ShownOfStep & {
  readonly progress?: StepProgress;
  /** Nothing but its review guards it, and an agent's word can stand for that. */
  readonly maySkipGate?: boolean;
};

/** The run whose workflow is drawn. `isMoment`: it is drawn once, and not redrawn as it moves. */
export type RunToDraw = Pick<Run, 'status' | 'state' | 'step' | 'pass' | 'item' | 'unattended'> & {
  readonly isMoment?: boolean;
};

export function layOut(
  title: string,
  workflow: WorkflowToDraw,
  medium: Medium,
  run: RunToDraw | null = null,
  endLabel = endLabelOf(run),
): Drawing {
  const here = notesHere(run);
  const steps = new Map(workflow.steps.map((step) => [step.id, step]));
  const boxOf = (id: string): BoxItem => {
    const step = steps.get(id);
    const item = { kind: 'step', id: `step:${id}`, step: id } as const;
    if (step === undefined) return { ...item, label: id, notes: [], state: null };
    const state = step.progress?.state ?? null;
    const notes = [...notesOf(step), ...(isAt(run, id) ? here : [])];
    return { ...item, label: step.name || id, notes, state };
  };
  let frames = 0;
  const frame = (
    id: string,
    label: string,
    inside: FrameItem['inside'],
    items: readonly DrawnItem[],
  ): FrameItem => ({ kind: 'frame', id, label, state: null, inside, items });
  const itemFor = (entry: ShownEntry): DrawnItem => {
    frames += 1;
    const id = `entry:${frames}`;
    switch (entry.kind) {
      case 'steps': {
        const [only, another] = entry.steps;
        if (only !== undefined && another === undefined) return boxOf(only);
        return frame(id, 'All of these, in any order', 'side by side', entry.steps.map(boxOf));
      }
      case 'loop': {
        const label = `${entry.name}: until ${entry.until}, at most ${counted(entry.max, 'pass', 'passes')}`;
        return frame(id, label, 'sequence', entry.entries.map(itemFor));
      }
      case 'for_each':
        return frame(id, `For each item of ${entry.items}`, 'sequence', [boxOf(entry.step)]);
      case 'approve': {
        const box = boxOf(entry.name);
        const shown = entry.show.length === 0 ? [] : [`shows ${entry.show.join(', ')}`];
        return { ...box, notes: ['a person approves', ...shown, ...box.notes] };
      }
      case 'run': {
        const box = boxOf(entry.name);
        return { ...box, notes: [`runs ${entry.workflow}`, ...box.notes] };
      }
    }
  };
  const entries = workflow.entries.map(itemFor);
  const hasProgress = workflow.steps.some(({ progress }) => progress !== undefined);
  const endState = run === null ? 'to_do' : END_STATES[run.status];
  const { width, height, boxes, lines } = arrange(
    [
      terminal('start', 'start', hasProgress ? 'accepted' : null),
      ...entries,
      terminal('end', endLabel, hasProgress ? endState : null),
    ],
    medium,
  );
  return { title, width, height, boxes, lines };
}

function notesHere(run: RunToDraw | null): string[] {
  if (run === null) return [];
  const note = noteAtStep(run);
  return run.isMoment ? notesAtMoment(run) : note === null ? [] : [note];
}

/** The items of a `for_each` belong to its step. */
function isAt(run: RunToDraw | null, id: string): boolean {
  return run !== null && (run.step === id || run.step.startsWith(`${id}#`));
}

/** The state of the end box, by the status of the run. */
export const END_STATES: Readonly<Record<Run['status'], BoxState>> = {
  active: 'to_do',
  completed: 'accepted',
  aborted: 'failed',
};

function endLabelOf(run: RunToDraw | null): string {
  return run === null || run.status === 'active' ? 'end' : ENDED_WORDS[run.status];
}

function terminal(kind: 'start' | 'end', label: string, state: BoxState | null): BoxItem {
  return { kind, id: kind, step: null, label, notes: [], state };
}

/** Its outputs, its gate, its condition, and how often it was turned down. */
function notesOf(step: StepToDraw): string[] {
  const { id, name, outputs, rules, checks, reviews, when, progress } = step;
  const gate = [
    ...(rules.length > 0 ? ['rules'] : []),
    ...checks.map((check) => `check ${check.name}`),
    ...(reviews.length > 0 ? [counted(reviews.length, 'review')] : []),
  ];
  const skip = step.maySkipGate ? ', which an agent may skip' : '';
  const refused = progress?.submissions.filter(isTurnedDown).length ?? 0;
  return [
    ...(name === '' || sameName(name, id) ? [] : [id]),
    ...(outputs.length > 0 ? [`makes ${outputs.map((output) => output.name).join(', ')}`] : []),
    ...(gate.length > 0 ? [`must pass ${gate.join(', ')}${skip}`] : []),
    ...(when === null ? [] : [`only when ${when}`]),
    ...(refused > 0 ? [`turned down ${howOften(refused)}`] : []),
  ];
}

/** `Write the docs` and `write_the_docs`: showing one of them is enough. */
function sameName(name: string, id: string): boolean {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_') === id.replaceAll('-', '_');
}
