// Finds the workflow that a person wants to simulate. If there is none with that name, the refusal
// lists the names that can be typed instead: refusals of the engine are for agents.

import { nearest } from '../core/nearest.ts';
import { Refused } from '../core/refusal.ts';
import { shown } from '../core/wording.ts';
import { type FoundDefinition, findNamed } from '../engine/definition-in-use.ts';
import { listStartable } from '../engine/prompts.ts';
import type { Workspace } from '../engine/workspace.ts';

const MAX_LISTED = 20;
const NOT_FOUND: readonly string[] = ['job_not_found', 'workflow_not_found'];

export async function findWorkflow(workspace: Workspace, wanted: string): Promise<FoundDefinition> {
  try {
    return await findNamed(workspace, wanted);
  } catch (error) {
    if (!(error instanceof Refused) || !NOT_FOUND.includes(error.refusal.code)) throw error;
    const names = (await listStartable(workspace)).map(({ name }) => name);
    const meant = nearest(wanted, names);
    const use = meant === null ? 'use' : `did you mean '${meant}'? Else use`;
    const more = names.length > MAX_LISTED ? `, … (${names.length} in all)` : '';
    throw new Refused({
      ...error.refusal,
      message: `There is no workflow '${shown(wanted)}'`,
      next: `${use} one of these: ${names.slice(0, MAX_LISTED).join(', ')}${more}`,
    });
  }
}
