// The parameters that several tools take, each with its limits.

import * as z from 'zod';
import { isRecord } from '../core/is-record.ts';
import { depthOf } from '../core/json-depth.ts';

const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_CONTEXT_BYTES = 64 * 1024;
const MAX_DEPTH = 64;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH}`;

export function textParameter(description?: string) {
  const schema = z.string().refine((value) => Buffer.byteLength(value) <= MAX_TEXT_BYTES, {
    error: 'is longer than 1 MiB',
  });
  return description === undefined ? schema : schema.describe(description);
}

/** May be left out or null. */
export function optionalText(description?: string) {
  const schema = textParameter().nullish();
  return description === undefined ? schema : schema.describe(description);
}

/** Which session a call is about. */
export function sessionParameter() {
  return optionalText('Default: top');
}

/** Variables for conditions, and what a step reports. */
export function contextParameter(description = 'For conditions') {
  return variablesParameter(description);
}

/** Values by name. Bounded, because they are stored with a session. */
export function variablesParameter(description: string) {
  return jsonParameter('must be an object', isRecord)
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_CONTEXT_BYTES, {
      error: 'is larger than 64 KiB',
    })
    .meta({ type: 'object' })
    .nullish()
    .describe(description)
    .transform((value) => (value ?? null) as Readonly<Record<string, unknown>> | null);
}

/** Output names to paths, or a bare list of paths. */
export function outputsParameter(description: string) {
  return jsonParameter(
    'must be an object that maps output names to file paths',
    (value) => isRecord(value) || Array.isArray(value),
  ).meta({ type: ['object', 'array'], description });
}

/** Each look at an object with 100,000 keys takes as long as many calls. */
const MAX_NAMES = 10_000;

/** JSON kept as sent. (Zod's own records would drop a key `__proto__`, which has to be reported.) */
function jsonParameter(problem: string, fits: (value: unknown) => boolean) {
  return z
    .unknown()
    .refine(fits, { error: problem, abort: true })
    .refine((value) => !isRecord(value) || Object.keys(value).length <= MAX_NAMES, {
      error: `has more than ${MAX_NAMES} names`,
      abort: true,
    })
    .refine((value) => depthOf(value, MAX_DEPTH) <= MAX_DEPTH, { error: TOO_DEEP, abort: true });
}
