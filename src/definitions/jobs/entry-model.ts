// Builds the entries of a workflow from its parsed form after all checks have passed.

import type { Criteria } from '../../core/rules.ts';
import type { Entry, OutputRef, Step, Until } from '../../core/workflow.ts';
import type { ParsedEntry, ParsedRef, ParsedUntil, ParsedUntilRules } from './parsed-job.ts';

type Rules = { get(until: ParsedUntilRules): Criteria | undefined };

export function makeEntry(
  entry: ParsedEntry,
  byId: ReadonlyMap<string, Step>,
  rules: Rules,
): Entry {
  switch (entry.kind) {
    case 'steps':
      return { kind: 'steps', steps: entry.steps.flatMap(({ value }) => byId.get(value) ?? []) };
    case 'loop':
      return {
        kind: 'loop',
        name: entry.name.value,
        entries: entry.entries.map((inner) => makeEntry(inner, byId, rules)),
        until: makeUntil(entry.until, rules),
        max: entry.max,
      };
    case 'for_each': {
      const { name, items, maxParallel, maxItems } = entry;
      const step = byId.get(entry.step.value) as Step;
      return {
        kind: 'for_each',
        name: name.value,
        items: makeRef(items),
        step,
        maxParallel,
        maxItems,
      };
    }
    case 'approve': {
      const { name, question, show, onReject } = entry;
      return {
        kind: 'approve',
        name: name.value,
        question,
        show: show.map(makeRef),
        onReject: onReject && { goTo: onReject.goTo.value, max: onReject.max },
      };
    }
    case 'run': {
      const { job, workflow, inputs } = entry;
      return { kind: 'run', name: entry.name.value, job, workflow, inputs };
    }
  }
}

/** Anything unreadable was a problem before, so the casts are valid here. */
function makeUntil(until: ParsedUntil | null, rules: Rules): Until {
  const found = until as ParsedUntil;
  switch (found.kind) {
    case 'check': {
      const { name, run, timeoutSeconds } = found.check;
      return { kind: 'check', check: { name: name.value, run, timeoutSeconds } };
    }
    case 'when':
      return { kind: 'when', condition: found.condition as NonNullable<typeof found.condition> };
    case 'rules':
      return {
        kind: 'rules',
        output: makeRef(found.output),
        criteria: rules.get(found) as Criteria,
      };
  }
}

function makeRef({ step, output }: ParsedRef): OutputRef {
  return { step, output };
}
