// Who makes a call. Every request may name its agent as `name|model|variant`; without it, the
// caller is the coordinator. Names are case-sensitive: `Coordinator` is someone else.

import { showInvisible } from '../invisible-characters.ts';
import { appearanceProblem, looksLike } from './look-alikes.ts';

export interface Caller {
  readonly name: string;
  readonly model: string | null;
  readonly variant: string | null;
}

export const COORDINATOR = 'coordinator';

const MAX_PART_LENGTH = 200;

/** The caller that an identity names, or the problem with it in words. */
export function readCaller(identity: string | null | undefined): Caller | string {
  const [first = '', second = '', ...rest] = (identity ?? '').split('|');
  // At most three parts: a further bar belongs to the variant.
  const parts = [first, second, rest.join('|')].map((part) => part.trim());
  if (parts.some((part) => part.length > MAX_PART_LENGTH)) {
    return `each part of an identity has at most ${MAX_PART_LENGTH} characters`;
  }
  if (parts.some((part) => /[\u0000-\u001f\u007f]/.test(part))) {
    return 'an identity has no control characters';
  }
  const [name = '', model = '', variant = ''] = parts;
  if (name.includes(':')) return "the name of an agent has no ':'";
  const fault = appearanceProblem(name);
  if (fault !== null) return `the name '${showInvisible(name)}' ${fault}`;
  const twin = looksLike(name, [COORDINATOR]);
  if (twin !== null) return `the name '${name}' looks like '${twin}'`;
  return { name: name || COORDINATOR, model: model || null, variant: variant || null };
}

export function isCoordinator({ name }: Caller): boolean {
  return name === COORDINATOR;
}

/** `name`, `name|model` or `name|model|variant`: what `readCaller` reads. */
export function identityOf({ name, model, variant }: Caller): string {
  if (variant !== null) return [name, model ?? '', variant].join('|');
  return model === null ? name : `${name}|${model}`;
}
