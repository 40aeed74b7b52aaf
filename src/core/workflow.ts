// The one model of something that can be run. `job.yml` files and JSON workflows are both
// parsed into it by `definitions`; the deciders, the gate and the answers to agents read
// nothing else.

import type { Condition } from './conditions.ts';
import type { Criteria } from './rules.ts';
import type { DeclaredVariable } from './variables.ts';

/** What a session can run: all that was read of one file. */
export interface Definition {
  /** A job's name as declared in its file, or a guide's id. */
  readonly name: string;
  /** Given to the agent with every step. */
  readonly commonInfo: string;
  /** Absolute directory of the file; instruction files are looked for there. */
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
  /** What is given when a run is started; left out where there are none. */
  readonly inputs?: readonly DeclaredVariable[];
  /** Given to the agent with every step, in place of the definition's. */
  readonly commonInfo?: string;
  /** What the agent reads when the workflow is complete. */
  readonly afterword?: string;
}

/** One place in a workflow. Others read it by the functions below, whatever its kind. */
export type Entry = StepsEntry | LoopEntry | ForEachEntry | ApproveEntry | RunEntry;

/** A single step, or several that are done side by side. */
export interface StepsEntry {
  readonly kind: 'steps';
  readonly steps: readonly Step[];
}

/** Entries that are gone through again, pass by pass, until something holds. */
export interface LoopEntry {
  readonly kind: 'loop';
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly until: Until;
  /** After so many passes a person is asked. */
  readonly max: number;
}

/** What ends a loop. Judged when nothing is left to do in a pass. */
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

/** A gate that only a person opens. */
export interface ApproveEntry {
  readonly kind: 'approve';
  readonly name: string;
  readonly question: string;
  readonly show: readonly OutputRef[];
  /** Where a rejection sends the work, and how often; null: it stays here. */
  readonly onReject: { readonly goTo: string; readonly max: number } | null;
}

/** Another workflow, run as a session of its own. */
export interface RunEntry {
  readonly kind: 'run';
  readonly name: string;
  readonly job: string;
  readonly workflow: string;
  readonly inputs: readonly RunInput[];
  /** Set where data goes in and out by its name, as in a job with `step_arguments`. */
  readonly byName?: RunByName;
}

/** What an input of the nested workflow gets: a variable of the context, a value, or files. */
export type RunInput =
  | { readonly name: string; readonly from: string }
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly output: OutputRef };

/** Inputs that the nested workflow does not declare are not given to it, rather than refused. */
export interface RunByName {
  /** Files that it made and that count as made here, under their own names. */
  readonly outputs: readonly string[];
  /** Texts that it reported and that count as reported here. */
  readonly reports: readonly string[];
}

/** The steps that are done at an entry itself, in file order; those in a loop are its own. */
export function membersOf(entry: Entry): readonly Step[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps;
    case 'for_each':
      return [entry.step];
    case 'loop':
      return entry.entries.flatMap(membersOf);
    case 'approve':
    case 'run':
      return [];
  }
}

/** What `step_id` and `go_to_step` call an entry, and what is in it. */
export function namesOf(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps.map((step) => step.id);
    case 'for_each':
      return [entry.name, entry.step.id];
    case 'loop':
      return [entry.name, ...entry.entries.flatMap(namesOf)];
    case 'approve':
    case 'run':
      return [entry.name];
  }
}

/** The same entry with other steps in it. */
function withSteps(entry: Entry, change: (step: Step) => Step): Entry {
  switch (entry.kind) {
    case 'steps':
      return { ...entry, steps: entry.steps.map(change) };
    case 'for_each':
      return { ...entry, step: change(entry.step) };
    case 'loop':
      return { ...entry, entries: entry.entries.map((inner) => withSteps(inner, change)) };
    case 'approve':
    case 'run':
      return entry;
  }
}

/** Every step of a workflow, at whatever depth, in file order. */
export function stepsOf({ entries }: Pick<Workflow, 'entries'>): readonly Step[] {
  return entries.flatMap(membersOf);
}

/** Every loop, at whatever depth, outer ones first. */
export function loopsOf({ entries }: Pick<Workflow, 'entries'>): readonly LoopEntry[] {
  return entries.flatMap((entry) => (entry.kind === 'loop' ? [entry, ...loopsOf(entry)] : []));
}

/** Every `for_each`, at whatever depth. */
export function forEachesOf({ entries }: Pick<Workflow, 'entries'>): readonly ForEachEntry[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'for_each') return [entry];
    return entry.kind === 'loop' ? forEachesOf(entry) : [];
  });
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
  /** What the agent says in `context` when it submits the step; left out where there are none. */
  readonly reports?: readonly DeclaredVariable[];
  /** Reports are taken from `outputs`, too. */
  readonly reportsInOutputs?: boolean;
  /** Decided on arrival at the step: false skips it. Null means always. */
  readonly when: Condition | null;
  /** Whether a person has to confirm it; left out where files cannot say so. */
  readonly confirmation?: boolean | Condition;
  /** What kind of model it is meant for, null if any; left out where files cannot say so. */
  readonly modelHint?: string | null;
  /** Set while it is done for one item of a `for_each`; its id is `step#index` then. */
  readonly item?: Item;
}

export interface Item {
  /** From 1. */
  readonly index: number;
  readonly of: number;
  /** A text, a number or an object. */
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
  /** Of a single file: a list of paths is taken, too. */
  readonly orList?: boolean;
  readonly description: string;
  readonly required: boolean;
  /** Rules that the text of each submitted file must meet; null means none. */
  readonly rules: Criteria | null;
  /** The job that the files belong to must pass lint. */
  readonly lint?: LintOf | null;
  /** Other steps call theirs the same: in `all_outputs` it is always `step.name`. */
  readonly sharesName?: boolean;
  /**
   * Set where a file is judged exactly as workflow_validate judges a text: with or without
   * rules, which are the step's criteria in words, and reported line by line.
   */
  readonly validation?: Validation;
}

export interface Validation {
  readonly workflowId: string;
  /** JSON Pointer, from the step, to the rules. */
  readonly rulesAt: string;
}

/** `definition`: its instruction files may still be missing. */
export const LINTS = ['job', 'definition'] as const;
export type LintOf = (typeof LINTS)[number];

export interface Review {
  /** `step` for one review of everything, or the name of the output to review. */
  readonly runEach: string;
  /** The output that the review of the whole step is about; it is left out without that. */
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
