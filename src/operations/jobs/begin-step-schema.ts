// The schema of `begin_step`, which most tools of jobs answer with, and of declared variables.

import { type ListedVariable, VARIABLE_TYPES } from '../../core/variables.ts';
import type {
  BeginStep,
  LoopBriefing,
  StepBriefing,
  StepInput,
} from '../../engine/answer-types.ts';
import {
  FLAG,
  listOf,
  type Members,
  mapOf,
  object,
  optionalMember,
  or,
  orNull,
  TEXT,
  TEXT_OR_TEXTS,
  TEXTS,
  WHOLE,
  wordOf,
} from '../answer-schema.ts';

const SCALAR = or(TEXT, 'number', 'boolean');
const VALUE = or(TEXTS, 'string', 'number', 'boolean');

export const VARIABLES = listOf(
  object<ListedVariable>({
    name: TEXT,
    description: TEXT,
    type: wordOf(VARIABLE_TYPES),
    enum: orNull(listOf(SCALAR)),
    required: FLAG,
    default: orNull(SCALAR),
  }),
);

const BRIEFING: Members<StepBriefing> = {
  step_id: TEXT,
  step_inputs: listOf(
    object<StepInput>({
      name: TEXT,
      description: orNull(TEXT),
      from_step: orNull(TEXT),
      path: orNull(TEXT_OR_TEXTS),
      value: optionalMember(orNull(VALUE)),
    }),
  ),
  step_expected_outputs: listOf(
    object<StepBriefing['step_expected_outputs'][number]>({
      name: TEXT,
      type: wordOf(['file', 'files']),
      description: TEXT,
      required: FLAG,
      syntax_for_finished_step_tool: TEXT,
      refused_with: optionalMember(TEXTS),
    }),
  ),
  step_reports: optionalMember(VARIABLES),
  step_reviews: listOf(
    object<StepBriefing['step_reviews'][number]>({
      run_each: TEXT,
      quality_criteria: mapOf(TEXT),
      additional_review_guidance: orNull(TEXT),
    }),
  ),
  step_quality_criteria: TEXTS,
  step_checks: optionalMember(TEXTS),
  step_instructions: TEXT,
  step_submission: optionalMember(TEXT),
  item: optionalMember(
    object<NonNullable<StepBriefing['item']>>({
      index: WHOLE,
      of: WHOLE,
      value: { type: ['string', 'number', 'object'] },
    }),
  ),
  requires_confirmation: optionalMember(FLAG),
  model_hint: optionalMember(orNull(TEXT)),
};

export const BEGIN_STEP = object<BeginStep>({
  ...BRIEFING,
  session_id: TEXT,
  branch_name: TEXT,
  job_dir: TEXT,
  common_job_info: TEXT,
  inputs: optionalMember(mapOf(VALUE)),
  concurrent_steps: listOf(object<StepBriefing>(BRIEFING)),
  loop: optionalMember(
    orNull(object<LoopBriefing>({ name: TEXT, pass: WHOLE, max: WHOLE, said: orNull(TEXT) })),
  ),
});
