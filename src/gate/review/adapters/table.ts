// All external reviewers: a configured command, or one of the runners that
// `--external-runner` (`externalRunner`) names.

import type { ReviewerAdapter } from './adapter.ts';
import { claude } from './claude.ts';
import { commandAdapter } from './command.ts';

const RUNNERS = { claude } as const satisfies Readonly<Record<string, ReviewerAdapter>>;

export type RunnerName = keyof typeof RUNNERS;

export const RUNNER_NAMES = Object.keys(RUNNERS) as readonly RunnerName[];

export type Reviewer =
  | { readonly kind: 'runner'; readonly runner: string }
  | { readonly kind: 'command'; readonly command: string };

export function isRunner(name: unknown): name is RunnerName {
  return typeof name === 'string' && Object.hasOwn(RUNNERS, name);
}

export function adapterFor(reviewer: Reviewer): ReviewerAdapter {
  if (reviewer.kind === 'command') return commandAdapter(reviewer.command);
  // Options are validated where they come in; nothing else names a runner.
  if (!isRunner(reviewer.runner)) throw new Error(`There is no reviewer '${reviewer.runner}'`);
  return RUNNERS[reviewer.runner];
}

/** Part of the evidence key: what passed with one reviewer has not passed with another. */
export function reviewerIdentity(reviewer: Reviewer): string {
  return reviewer.kind === 'command' ? reviewer.command : reviewer.runner;
}
