// Parses one step of a guide: its fields and conditions. The rules for its output are compiled
// later, because that takes longer.

import type { Condition } from '../../core/conditions.ts';
import { parseCondition } from '../../core/conditions-parse.ts';
import type { Criteria } from '../../core/rules.ts';
import type { Step } from '../../core/workflow.ts';
import { addFaults, none, optional, type Read, required, written } from '../reader/fields.ts';
import { plainValue } from '../source/node.ts';
import {
  absent,
  boundedText,
  boundedTexts,
  flag,
  guideId,
  guideMap,
  kindOfNode,
} from './guide-fields.ts';

const readCondition: Read<Condition | undefined> = (node, path, to) => {
  const { condition, problems } = parseCondition(plainValue(node));
  addFaults(problems, path, to, 'key');
  return condition ?? undefined;
};

const readConfirmation: Read<boolean | Condition | undefined> = (node, path, to) => {
  if (node.kind === 'map') return readCondition(node, path, to);
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  const wanted = '"requireConfirmation" must be true, false or a condition';
  to.add('wrong_type', path, `${wanted}, got ${kindOfNode(node)}`);
  return undefined;
};

export const readGuideStep = guideMap('A step', {
  id: required(guideId, () => ''),
  title: required(boundedText(128), () => ''),
  prompt: required(boundedText(8192), () => ''),
  askForFiles: optional(flag, absent),
  requireConfirmation: optional(readConfirmation, absent),
  runCondition: optional(readCondition, absent),
  validationCriteria: optional(written, none),
  guidance: optional(boundedTexts(1024), () => []),
  agentRole: optional(boundedText(1024, 10), absent),
  modelHint: optional(boundedText(128), absent),
  preface: optional(boundedText(512), absent),
});

export type ParsedGuideStep = ReturnType<typeof readGuideStep>;
export const STEP_FIELDS = readGuideStep.keys;

/** The step in the common model, with its compiled rules. */
export function makeGuideStep(
  parsed: ParsedGuideStep,
  workflowId: string,
  rules: Criteria | null,
): Step {
  const { id, title, prompt, guidance, agentRole: role, preface } = parsed;
  return {
    id,
    name: title,
    description: title,
    instructions: { kind: 'text', prompt, role, guidance, preface },
    inputs: [],
    outputs: [
      {
        name: 'output',
        type: 'file',
        description: 'A separate file with what this step produced',
        required: rules !== null,
        rules,
        sharesName: true,
        validation: { workflowId, rulesAt: '/validationCriteria' },
      },
    ],
    reviews: [],
    checks: [],
    when: parsed.runCondition ?? null,
    confirmation: parsed.requireConfirmation ?? false,
    modelHint: parsed.modelHint ?? null,
  };
}
