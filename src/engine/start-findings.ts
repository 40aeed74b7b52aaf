// What start_workflow says about the definitions that it leads to: nested workflows that cannot be
// started, and what lint finds. It is kept until a definition or an instruction file changes.

import path from 'node:path';
import { Refused } from '../core/refusal.ts';
import { counted, onOneLine, shownUpTo } from '../core/wording.ts';
import { runsOf, stepsOf, type Workflow } from '../core/workflow.ts';
import { lintStart } from '../definitions/lint-start.ts';
import { writeIssue } from '../definitions/reader/issues.ts';
import {
  changedTooRecently,
  type Fingerprint,
  sameFingerprint,
  takeFingerprint,
} from '../files/fingerprint.ts';
import { isInside } from '../files/inside.ts';
import type { FoundDefinition } from './definition-in-use.ts';
import { findRun } from './entries/plan-run.ts';
import type { Workspace } from './workspace.ts';

const MAX_REACHED = 32;
const MAX_FINDINGS = 10;
const MAX_REASON = 500;

export async function startFindings(
  workspace: Workspace,
  started: FoundDefinition,
): Promise<readonly string[]> {
  const { reached, unstartable } = await reach(workspace, started);
  return [...unstartable, ...(await findingsOf(workspace, started.inUse.workflow, reached))];
}

/** The workflow, and all that it runs, directly or not. */
async function reach(workspace: Workspace, started: FoundDefinition) {
  const reached = new Map([[keyOf(started), started]]);
  const unstartable: string[] = [];
  for (const { inUse } of reached.values()) {
    for (const entry of runsOf(inUse.workflow)) {
      if (reached.size >= MAX_REACHED) break;
      try {
        const found = await findRun(workspace, entry);
        reached.set(keyOf(found), reached.get(keyOf(found)) ?? found);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const { name, job, workflow } = entry;
        const why = shownUpTo(onOneLine(error.refusal.message), MAX_REASON);
        unstartable.push(`'${name}' cannot run ${job}/${workflow}: ${why}`);
      }
    }
  }
  return { reached: [...reached.values()], unstartable };
}

function keyOf({ file, inUse }: FoundDefinition): string {
  return JSON.stringify([file, inUse.workflow.name]);
}

interface Kept {
  readonly workflows: readonly Workflow[];
  /** Of the instruction files, which a definition in memory does not contain. */
  readonly prints: readonly Fingerprint[];
  readonly said: readonly string[];
}

const kept = new WeakMap<Workflow, Kept>();

async function findingsOf(
  workspace: Workspace,
  started: Workflow,
  reached: readonly FoundDefinition[],
): Promise<readonly string[]> {
  const workflows = reached.map(({ inUse }) => inUse.workflow);
  const prints = reached.flatMap(instructionFiles).map(takeFingerprint);
  const known = kept.get(started);
  const isSame =
    known !== undefined &&
    known.workflows.length === workflows.length &&
    known.workflows.every((each, index) => each === workflows[index]) &&
    known.prints.length === prints.length &&
    known.prints.every((each, index) => sameFingerprint(each, prints[index] ?? each));
  if (isSame) return known.said;
  const now = Date.now();
  const said = await lint(workspace, reached);
  if (!prints.some((each) => changedTooRecently(each, now))) {
    kept.set(started, { workflows, prints, said });
  }
  return said;
}

function instructionFiles({ inUse: { definition, workflow } }: FoundDefinition): string[] {
  return stepsOf(workflow).flatMap(({ instructions }) =>
    instructions.kind === 'file' ? [path.resolve(definition.dir, instructions.file)] : [],
  );
}

async function lint(
  { paths, containment }: Workspace,
  reached: readonly FoundDefinition[],
): Promise<readonly string[]> {
  const files = await lintStart(
    reached.map(({ file, job, inUse }) => ({ file, job, workflow: inUse.workflow })),
    containment.problemOf,
  );
  // What reading a definition warns of is among the warnings of its own start.
  const ofReading = new Set(reached.flatMap(({ inUse }) => inUse.warnings));
  const found = new Set<string>();
  for (const { file, problems, warnings } of files) {
    for (const { code, message, at } of [...problems.kept, ...warnings.kept]) {
      if (code === 'unknown_workflow' || ofReading.has(writeIssue({ message, at }))) continue;
      const shown = isInside(paths.root, file) ? path.relative(paths.root, file) : file;
      found.add(`Lint: ${shown}:${at.line}:${at.column}: ${message}`);
    }
  }
  const said = [...found].slice(0, MAX_FINDINGS);
  const left = found.size - said.length;
  if (left === 0) return said;
  return [...said, `Lint: ${counted(left, 'more finding')}; \`deepwork lint\` shows all.`];
}
