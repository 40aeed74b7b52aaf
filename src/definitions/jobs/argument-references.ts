// Checks that the references of a job with `step_arguments` are valid, and warns of keys without
// effect.

import type { IssueCode } from '../../core/issue.ts';
import { didYouMean } from '../../core/nearest.ts';
import type { Located } from '../reader/fields.ts';
import { type IssueLog, openIssueLog, type Report } from '../reader/issues.ts';
import { quote } from '../wording.ts';
import type { ArgumentJob, ArgumentWorkflow } from './argument-style.ts';
import { isInFile } from './sub-workflow.ts';
import { warnOfName } from './warnings.ts';

export function checkArguments(job: ArgumentJob, to: Report): void {
  const names = new Set<string>();
  for (const { name } of job.arguments) {
    if (isGiven(name) && names.has(name.value)) {
      report(to, 'duplicate_id', name, `Duplicate step argument: ${quote(name.value)}`);
    }
    names.add(name.value);
  }
  const workflows = job.workflows.map(({ name }) => name.value);
  for (const workflow of job.workflows) checkSteps(job, workflow, [...names], workflows, to);
}

function checkSteps(
  job: ArgumentJob,
  { name: workflow, steps }: ArgumentWorkflow,
  known: readonly string[],
  workflows: readonly string[],
  to: Report,
): void {
  const seen = new Set<string>();
  for (const step of steps) {
    const { name, inputs, outputs, subWorkflow } = step;
    const [w, s] = [quote(workflow.value), quote(name.value)];
    if (isGiven(name) && seen.has(name.value)) {
      report(to, 'duplicate_id', name, `Workflow ${w} contains duplicate step ${s}`);
    }
    seen.add(name.value);
    for (const [kind, uses] of Object.entries({ input: inputs, output: outputs })) {
      for (const { name: argument } of uses) {
        if (known.includes(argument.value)) continue;
        const meant = didYouMean(argument.value, known);
        const message = `Step ${s} of workflow ${w} has the ${kind} ${quote(argument.value)}, which is not in step_arguments${meant}`;
        report(to, 'unknown_output', argument, message);
      }
    }
    const whole = outputs.find((each) => each.name.value === 'step');
    if (whole) report(to, 'reserved_name', whole.name, `Step ${s} has an output named 'step'`);
    const sub = isInFile(step, job) ? subWorkflow?.workflow : undefined;
    if (sub !== undefined && isGiven(sub) && !workflows.includes(sub.value)) {
      const meant = didYouMean(sub.value, workflows);
      const message = `Step ${s} of workflow ${w} references non-existent workflow ${quote(sub.value)}${meant}`;
      report(to, 'unknown_workflow', sub, message);
    }
  }
}

export function warnAboutArguments(job: ArgumentJob, directory: string): IssueLog {
  const warnings = openIssueLog();
  warnOfName(job.name, directory, warnings);
  for (const path of job.withoutEffect) {
    const message = `${quote(String(path.at(-1)))} has no effect here`;
    warnings.add('no_effect', path, message, 'key');
  }
  return warnings;
}

function report(to: Report, code: IssueCode, { path, at }: Located, message: string): void {
  to.add(code, path, message, at);
}

/** A name that could not be read is empty, and is already reported. */
function isGiven(name: Located): boolean {
  return name.value !== '';
}
