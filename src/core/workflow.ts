// The one model of something that can be run. `job.yml` files and JSON workflows are both
// parsed into it by `definitions`; the deciders, the gate and the answers to agents read
// nothing else.

import type { Condition } from './conditions.ts';
import type { Criteria } from './rules.ts';
import type { DeclaredVariable } from './variables.ts';

/** What a session can run: the content of one file. */
export interface Definition {
  /** A job's name as declared in its file, or a guide's id. */
  readonly name: string;
  /** Given to the agent with every step. */
  readonly commonInfo: string;
  /** Absolute directory of the file; instruction files are relative to it. */
  readonly dir: string;
  /** sha256 (hex) of the file's bytes: sessions record what they ran under. */
  readonly hash: string;
  readonly steps: readonly Step[];
  readonly workflows: readonly Workflow[];
}

export interface Job extends Definition {
  readonly version: string;
  readonly summary: string;
  /** The long text of a list-style job; null for the current format. */
  readonly description: string | null;
}

export interface Workflow {
  readonly name: string;
  readonly summary: string;
  readonly entries: readonly Entry[];
  /** Given when a run is started; absent if there are none. */
  readonly inputs?: readonly DeclaredVariable[];
  /** Given to the agent with every step, instead of the definition's. */
  readonly commonInfo?: string;
  /** What the agent reads when the workflow is complete. */
  readonly afterword?: string;
}

/** One place in a workflow. The functions below read all kinds alike. */
export type Entry = StepsEntry | LoopEntry | ForEachEntry | ApproveEntry | RunEntry;

/** A single step, or several concurrent ones. */
export interface StepsEntry {
  readonly kind: 'steps';
  readonly steps: readonly Step[];
}

/** Entries that are repeated, pass by pass, until a condition holds. */
export interface LoopEntry {
  readonly kind: 'loop';
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly until: Until;
  /** After this many passes a person is asked. */
  readonly max: number;
}

/** What ends a loop. Judged at the end of each pass. */
export type Until =
  /** Exit code 0 ends it, 1 to 125 does not. */
  | { readonly kind: 'check'; readonly check: Check }
  | { readonly kind: 'when'; readonly condition: Condition }
  /** The text of each file of the output meets the criteria. */
  | { readonly kind: 'rules'; readonly output: OutputRef; readonly criteria: Criteria };

/** An output of a step, written `step.output`. */
export interface OutputRef {
  readonly step: string;
  readonly output: string;
}

/** One step that is done once for each item of a list. */
export interface ForEachEntry {
  readonly kind: 'for_each';
  readonly name: string;
  /** A `file` with a JSON array, or `files`: then the items are their paths. */
  readonly items: OutputRef;
  readonly step: Step;
  readonly maxParallel: number;
  readonly maxItems: number;
}

/** Waits for the approval of a person. */
export interface ApproveEntry {
  readonly kind: 'approve';
  readonly name: string;
  readonly question: string;
  readonly show: readonly OutputRef[];
  /** Where a rejection goes back to, and how often; null: the session stays here. */
  readonly onReject: { readonly goTo: string; readonly max: number } | null;
}

/** Another workflow, run as a session of its own. */
export interface RunEntry {
  readonly kind: 'run';
  readonly name: string;
  readonly job: string;
  readonly workflow: string;
  readonly inputs: readonly RunInput[];
  /** Set if data is passed in and out by name, as in a job with `step_arguments`. */
  readonly byName?: RunByName;
}

/** What an input of the nested workflow gets: a variable of the context, a value, or files. */
export type RunInput =
  | { readonly name: string; readonly from: string }
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly output: OutputRef };

/** Inputs that the nested workflow does not declare are dropped, not refused. */
export interface RunByName {
  /** Its outputs that become outputs of this workflow, under the same names. */
  readonly outputs: readonly string[];
  /** Its reports that become reports of this workflow. */
  readonly reports: readonly string[];
}

/** The steps of the entry itself, in file order. */
export function ownSteps(entry: Entry): readonly Step[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps;
    case 'for_each':
      return [entry.step];
    default:
      return [];
  }
}

/** The entry with each of its own steps changed, and those of the entries inside it. */
function withSteps(entry: Entry, change: (step: Step) => Step): Entry {
  switch (entry.kind) {
    case 'steps':
      return { ...entry, steps: entry.steps.map(change) };
    case 'for_each':
      return { ...entry, step: change(entry.step) };
    case 'loop':
      return { ...entry, entries: entry.entries.map((inner) => withSteps(inner, change)) };
    default:
      return entry;
  }
}

/** The steps of an entry and of the entries inside it, in file order. */
export function membersOf(entry: Entry): readonly Step[] {
  return entry.kind === 'loop' ? entry.entries.flatMap(membersOf) : ownSteps(entry);
}

/** All names by which `step_id` and `go_to_step` may refer to an entry or a part of it. */
export function namesOf(entry: Entry): readonly string[] {
  return [
    ...(entry.kind === 'steps' ? [] : [entry.name]),
    ...ownSteps(entry).map((step) => step.id),
    ...(entry.kind === 'loop' ? entry.entries.flatMap(namesOf) : []),
  ];
}

/** Every entry, at any depth; a loop comes before the entries inside it. */
function allEntries(entries: readonly Entry[]): readonly Entry[] {
  return entries.flatMap((entry) =>
    entry.kind === 'loop' ? [entry, ...allEntries(entry.entries)] : entry,
  );
}

/** Every step of a workflow, at any depth, in file order. */
export function stepsOf({ entries }: Pick<Workflow, 'entries'>): readonly Step[] {
  return entries.flatMap(membersOf);
}

/** Every loop, at any depth, outer ones first. */
export function loopsOf({ entries }: Pick<Workflow, 'entries'>): readonly LoopEntry[] {
  return allEntries(entries).filter((entry) => entry.kind === 'loop');
}

/** Every `for_each`, at any depth. */
export function forEachesOf({ entries }: Pick<Workflow, 'entries'>): readonly ForEachEntry[] {
  return allEntries(entries).filter((entry) => entry.kind === 'for_each');
}

/** Every `run`, at any depth. */
export function runsOf({ entries }: Pick<Workflow, 'entries'>): readonly RunEntry[] {
  return allEntries(entries).filter((entry) => entry.kind === 'run');
}

export function changeSteps(workflow: Workflow, change: (step: Step) => Step): Workflow {
  return { ...workflow, entries: workflow.entries.map((entry) => withSteps(entry, change)) };
}

export interface Step {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: Instructions;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly reviews: readonly Review[];
  readonly checks: readonly Check[];
  /** Given by the agent in `context` when it submits the step; absent if there are none. */
  readonly reports?: readonly DeclaredVariable[];
  /** Reports may also be given in `outputs`. */
  readonly reportsInOutputs?: boolean;
  /** Decided on arrival at the step: false skips it. Null means always. */
  readonly when: Condition | null;
  /** Whether a person has to confirm it; absent if the file format has no such key. */
  readonly confirmation?: boolean | Condition;
  /** The kind of model it is meant for, null for any; absent if the format has no such key. */
  readonly modelHint?: string | null;
  /** Set if the step is for one item of a `for_each`; its id is then `step#index`. */
  readonly item?: Item;
}

export interface Item {
  /** From 1. */
  readonly index: number;
  readonly of: number;
  /** A string, a number or an object. */
  readonly value: unknown;
}

export type Instructions =
  /** As written, relative to the definition's directory. */
  { readonly kind: 'file'; readonly file: string } | TextInstructions;

export interface TextInstructions {
  readonly kind: 'text';
  readonly prompt: string;
  readonly role?: string | undefined;
  readonly guidance?: readonly string[];
  readonly preface?: string | undefined;
}

export type Input =
  | { readonly kind: 'asked'; readonly name: string; readonly description: string }
  | { readonly kind: 'file'; readonly file: string; readonly fromStep: string }
  /** An input of the workflow (`fromStep` null), or a report of an earlier step. */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly description: string;
      readonly fromStep: string | null;
      readonly isFile: boolean;
    };

export interface Output {
  readonly name: string;
  readonly type: 'file' | 'files';
  /** For a single file: a list of paths is accepted, too. */
  readonly orList?: boolean;
  readonly description: string;
  readonly required: boolean;
  /** Rules that the text of each submitted file must meet; null means none. */
  readonly rules: Criteria | null;
  /** The job that the files belong to must pass lint. */
  readonly lint?: LintOf | null;
  /** Another step has an output of the same name: in `all_outputs` it is always `step.name`. */
  readonly sharesName?: boolean;
  /**
   * Set if a file is judged exactly as workflow_validate judges a text: even if there are no
   * rules, which are the step's criteria, and with the issues reported line by line.
   */
  readonly validation?: Validation;
}

export interface Validation {
  readonly workflowId: string;
  /** JSON Pointer, from the step, to the rules. */
  readonly rulesAt: string;
}

/** With `definition`, instruction files may still be missing. */
export const LINTS = ['job', 'definition'] as const;
export type LintOf = (typeof LINTS)[number];

export interface Review {
  /** `step` for one review of everything, or the name of the output to review. */
  readonly runEach: string;
  /** The only output that a review of the whole step covers; without it, the review is skipped. */
  readonly only?: string;
  readonly criteria: readonly Criterion[];
  readonly guidance: string | null;
}

export interface Criterion {
  readonly name: string;
  readonly text: string;
}

/** A command that the server runs itself; exit code 0 passes. */
export interface Check {
  readonly name: string;
  readonly run: string;
  readonly timeoutSeconds: number;
}
