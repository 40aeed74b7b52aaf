// The parameters of the guide tools, with the promised messages for invalid values.

import * as z from 'zod';

const MAX_ID_LENGTH = 1000;
const MAX_OUTPUT_BYTES = 5 * 1024 * 1024;
const MAX_STEPS = 10_000;

export function idParameter(description: string) {
  return string()
    .refine((value) => value !== '', { error: 'must not be empty' })
    .refine((value) => value.length <= MAX_ID_LENGTH, { error: 'is too long' })
    .describe(description);
}

/** May be absent or null. */
export function optionalId(description: string) {
  return idParameter(description).nullish();
}

export function outputText(description: string) {
  return string()
    .refine((value) => Buffer.byteLength(value) <= MAX_OUTPUT_BYTES, {
      error: 'is larger than 5 MiB',
    })
    .describe(description);
}

export function stepIds(description: string) {
  const error = 'must be a step id';
  const step = z.string({ error }).refine((value) => value.length <= MAX_ID_LENGTH, { error });
  return z
    .array(step, { error: 'must be an array of step ids' })
    .max(MAX_STEPS, { error: `has more than ${MAX_STEPS} entries` })
    .describe(description);
}

function string() {
  return z.string({ error: 'must be a string' });
}
