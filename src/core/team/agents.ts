// The agents of a team and their names. An agent may run on several models; with two or more,
// *models are in use* and each model is a reader of its own, named by its model id:
// `reviewer:vendor/model (variant)`.

import { COORDINATOR } from './caller.ts';
import { appearanceProblem, looksLike } from './look-alikes.ts';

export interface Agent {
  readonly name: string;
  /** As configured, each `model` or `model (variant)`. */
  readonly models: readonly string[];
  /** The command that starts it, if configured. */
  readonly command: string | null;
}

/** What defines the team. `callers`: nothing does, so everyone who has called is in it. */
export type TeamSource = 'config' | 'goal' | 'callers';

const MAX_NAME_LENGTH = 200;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function modelId(name: string, model: string, variant: string | null): string {
  return variant === null || variant === '' ? `${name}:${model}` : `${name}:${model} (${variant})`;
}

export function modelIdsOf({ name, models }: Agent): string[] {
  return models.map((model) => `${name}:${model}`);
}

export function modelsInUse({ models }: Agent): boolean {
  return models.length >= 2;
}

/** What is wrong with a name, to be appended to it; null if nothing is. */
export function nameProblem(name: string): string | null {
  if (name.trim() === '') return 'is empty';
  if (name !== name.trim()) return 'starts or ends with a space';
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`;
  // Both separate the parts of an identity.
  if (/[|:]/.test(name)) return "must not contain '|' or ':'";
  if (CONTROL.test(name)) return 'contains control characters';
  const twin = looksLike(name, [COORDINATOR]);
  return appearanceProblem(name) ?? (twin === null ? null : `looks like '${twin}'`);
}

/** A model in the form used in ids; null if it is invalid. */
export function readModel(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_NAME_LENGTH || CONTROL.test(trimmed)) return null;
  if (trimmed.includes('|')) return null;
  const open = trimmed.endsWith(')') ? trimmed.lastIndexOf('(') : -1;
  if (open < 0) return trimmed;
  const model = trimmed.slice(0, open).trim();
  const variant = trimmed.slice(open + 1, -1).trim();
  if (model === '') return null;
  return variant === '' ? model : `${model} (${variant})`;
}
