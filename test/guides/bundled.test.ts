// The bundled guides as their users see them: each is followed to its end with good work, call by
// call and as a session.

import { describe, expect, test } from 'vitest';
import { GOOD_OUTPUTS } from '../schemas/good-outputs.ts';
import { connect } from '../support/connect.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const CONTEXT = {
  security: 'high',
  environment: 'production',
  userExpertise: 'expert',
  complexity: 0.9,
  taskScope: 'large',
};

describe.each(Object.entries(GOOD_OUTPUTS))('%s', (workflowId, outputs) => {
  test('can be followed to its end, call by call', async () => {
    verifies('GUIDE-21', 'GUIDE-37');
    const { ok } = await connect(newProject().root);
    const completedSteps: string[] = [];
    for (;;) {
      const next = await ok('workflow_next', { workflowId, completedSteps, context: CONTEXT });
      expect(next).not.toHaveProperty('missingContext');
      if (next.isComplete) break;
      const stepId = next.step.id;
      const validate = { workflowId, stepId, output: outputs[stepId], context: CONTEXT };
      expect(await ok('workflow_validate', validate)).toMatchObject({ valid: true });
      completedSteps.push(stepId);
    }
    expect(completedSteps.length).toBeGreaterThanOrEqual(4);
  });

  test('can be run to its end as a session', async () => {
    verifies('GUIDE-38');
    const project = newProject();
    const { ok } = await connect(project.root);
    let { begin_step } = await ok('start_workflow', {
      goal: 'Do it well',
      job_name: workflowId,
      workflow_name: 'any',
    });
    let steps = 0;
    while (begin_step !== null) {
      const { step_id } = begin_step;
      project.write(`${step_id}.md`, outputs[step_id] ?? '');
      const outputsGiven = { outputs: { output: `${step_id}.md` }, context: CONTEXT };
      const finished = await ok('finished_step', outputsGiven);
      expect(finished.feedback).toBeNull();
      begin_step = finished.begin_step;
      steps += 1;
    }
    expect(steps).toBeGreaterThanOrEqual(4);
  });
});
