// Compiles the JSON Schemas of rules when their definition is read, and reports the problems
// of invalid ones by place, in the words of the metaschema.

import type { ErrorObject, ValidateFunction } from 'ajv';
import { report, shorten } from '../conditions-problems.ts';
import type { Fault, Path } from '../issue.ts';
import type { CompiledSchema } from './model.ts';
import { runWithin, runWithinProcessorTime } from './run-within.ts';
import { complaintsOf, SUMMARY_KEYWORDS } from './schema-complaints.ts';
import { draftOf, KNOWN_DRAFTS, openDraft } from './schema-drafts.ts';
import { prepareSchema } from './schema-shape.ts';

/** A schema found in a rule, and the place for its compiled form. */
export interface FoundSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: Path;
  readonly compiled: CompiledSchema;
}

/** Processor time: far more than valid schemas need; it blocks all other answers. */
const COMPILE_MILLISECONDS = 150;
const LIST_MILLISECONDS = 100;

export async function compileSchema(
  found: FoundSchema,
  problems: Fault[],
  pause: () => Promise<void>,
): Promise<void> {
  const { path } = found;
  const id = draftOf(found.schema);
  if (id === null) {
    const message = `Not supported: $schema (known are ${KNOWN_DRAFTS})`;
    report(problems, 'wrong_schema', [...path, '$schema'], message);
    return;
  }
  const before = problems.length;
  const schema = prepareSchema(found.schema, path, problems);
  const draft = await openDraft(id);
  await pause();
  await checkByMetaschema(draft.isSchema, schema, path, problems, pause);
  if (problems.length > before) return;
  await pause();
  const compiled = await pausing(
    runWithinProcessorTime(COMPILE_MILLISECONDS, () => draft.open().compile(schema)),
    pause,
  );
  if (compiled.kind === 'interrupted') {
    report(problems, 'wrong_schema', path, `Malformed schema: ${compiled.reason}`);
    return;
  }
  const { value: accepts } = compiled;
  let lister: ValidateFunction | null = null;
  found.compiled.accepts = (value) => accepts(value) === true;
  // Finding every error takes longer than finding the first. So that validator is compiled
  // when first needed, and if it takes too long, the first error is reported alone.
  function* listed(value: unknown, first: readonly ErrorObject[]) {
    const found = yield* runWithin(LIST_MILLISECONDS, () => {
      lister ??= draft.open(true).compile(schema);
      lister(value);
      return complaintsOf(lister.errors ?? []);
    });
    return found.kind === 'done' ? found.value : complaintsOf(first);
  }
  // The next value that is judged replaces the errors of this one.
  found.compiled.complaints = (value) => listed(value, accepts.errors ?? []);
}

async function pausing<T>(work: Iterator<unknown, T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    await pause();
  }
}

async function checkByMetaschema(
  isSchema: ValidateFunction,
  schema: Readonly<Record<string, unknown>>,
  path: Path,
  problems: Fault[],
  pause: () => Promise<void>,
): Promise<void> {
  const checked = await pausing(
    runWithinProcessorTime(COMPILE_MILLISECONDS, () => isSchema(schema)),
    pause,
  );
  if (checked.kind === 'interrupted') {
    report(problems, 'wrong_schema', path, `Malformed schema: ${checked.reason}`);
    return;
  }
  if (checked.value === true) return;
  for (const [pointer, complaints] of complaintsByPlace(isSchema.errors ?? [])) {
    const message = `Malformed schema: ${shorten([...complaints].join(', or '))}`;
    report(problems, 'wrong_schema', [...path, ...pathOf(pointer, schema)], message);
  }
}

function complaintsByPlace(errors: readonly ErrorObject[]): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const error of errors) {
    if (SUMMARY_KEYWORDS.has(error.keyword)) continue;
    const complaints = places.get(error.instancePath) ?? new Set();
    places.set(error.instancePath, complaints.add(error.message ?? error.keyword));
  }
  return places;
}

function pathOf(pointer: string, root: unknown): Path {
  let value: unknown = root;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(value) ? Number(key) : key;
      value = Object.getOwnPropertyDescriptor(Object(value), key)?.value;
      return step;
    });
}
