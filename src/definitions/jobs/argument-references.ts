// Checks that the references of a job with `step_arguments` are valid, and warns of arguments and keys
// without effect.

import { type Hints, limitedHints } from '../../core/nearest.ts';
import { isGiven, repeatedIn, reportAt } from '../reader/fields.ts';
import { type IssueLog, openIssueLog, type Report } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import type { ArgumentJob, ArgumentWorkflow } from './argument-style.ts';
import { isInFile } from './sub-workflow.ts';
import { warnOfName } from './warnings.ts';

export function checkArguments(job: ArgumentJob, to: Report): void {
  const known = new Set(job.arguments.map(({ name }) => name.value));
  const workflows = new Set(job.workflows.map(({ name }) => name.value));
  const hints = limitedHints();
  for (const workflow of job.workflows) {
    if (to.full()) return;
    checkSteps(job, workflow, { known, workflows, hints }, to);
  }
}

interface Known {
  readonly known: ReadonlySet<string>;
  readonly workflows: ReadonlySet<string>;
  readonly hints: Hints;
}

function checkSteps(
  job: ArgumentJob,
  { name: workflow, steps }: ArgumentWorkflow,
  { known, workflows, hints }: Known,
  to: Report,
): void {
  const repeated = repeatedIn(steps.map(({ name }) => name));
  for (const step of steps) {
    const { name, inputs, outputs, subWorkflow } = step;
    const [w, s] = [quote(workflow.value), quote(name.value)];
    if (repeated.has(name)) {
      reportAt(to, 'duplicate_id', name, `Workflow ${w} contains duplicate step ${s}`);
    }
    for (const [kind, uses] of Object.entries({ input: inputs, output: outputs })) {
      for (const { name: argument } of uses) {
        if (known.has(argument.value)) continue;
        const meant = hints.didYouMean(argument.value, [...known]);
        const message = `Step ${s} of workflow ${w} has the ${kind} ${quote(argument.value)}, which is not in step_arguments${meant}`;
        reportAt(to, 'unknown_output', argument, message);
      }
    }
    const whole = outputs.find((each) => each.name.value === 'step');
    if (whole) reportAt(to, 'reserved_name', whole.name, `Step ${s} has an output named 'step'`);
    const sub = isInFile(step, job) ? subWorkflow?.workflow : undefined;
    if (sub !== undefined && isGiven(sub) && !workflows.has(sub.value)) {
      const meant = hints.didYouMean(sub.value, [...workflows]);
      const message = `Step ${s} of workflow ${w} references non-existent workflow ${quote(sub.value)}${meant}`;
      reportAt(to, 'unknown_workflow', sub, message);
    }
  }
}

export function warnAboutArguments(job: ArgumentJob, directory: string): IssueLog {
  const warnings = openIssueLog();
  warnOfName(job.name, directory, warnings);
  for (const name of job.repeated) {
    const message = `Duplicate step argument: ${quote(name.value)}; the first one counts`;
    reportAt(warnings, 'duplicate_id', name, message);
  }
  for (const path of job.withoutEffect) {
    const message = `${quote(String(path.at(-1)))} has no effect here`;
    warnings.add('no_effect', path, message, 'key');
  }
  return warnings;
}
