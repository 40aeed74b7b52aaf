import { describe, expect, it } from 'vitest';
import { pointed, problemsOf, soundJob } from '../../../test/support/job-files.ts';
import { verifies } from '../../../test/verifies.ts';
import { stepsOf } from '../../core/workflow.ts';

const YML = `name: demo
summary: A demonstration
step_arguments:
  - {name: topic, description: What about, type: string}
  - name: out/report.md
    description: The report
    type: file_path
    json_schema: {type: object}
    review: {strategy: individual, instructions: It is short}
workflows:
  main:
    summary: All of it
    steps:
      - name: draft
        instructions: Write about it
        inputs: {topic: {required: false}}
        outputs: {out/report.md: {required: false}}
      - name: check
        instructions: Look at it
        inputs: {out/report.md: {}, topic: {}}
        process_requirements: {asked: The user was asked}
`;

describe('a job with step_arguments', () => {
  it('becomes the common model of a job', async () => {
    verifies('LANG-7');
    const job = await soundJob(YML);
    expect(job).toMatchObject({ name: 'demo', version: '0.0.0', description: null });
    const [workflow] = job.workflows;
    expect(workflow?.inputs).toMatchObject([{ name: 'topic', type: 'string', required: true }]);
    const [draft, check] = workflow === undefined ? [] : stepsOf(workflow);
    expect(draft).toMatchObject({
      id: 'draft',
      instructions: { kind: 'text', prompt: 'Write about it' },
      inputs: [{ kind: 'variable', name: 'topic', fromStep: null, isFile: false }],
      outputs: [{ name: 'out/report.md', type: 'file', orList: true, required: false }],
      reviews: [
        { runEach: 'out/report.md', criteria: [{ name: 'out/report.md', text: 'It is short' }] },
      ],
    });
    expect(draft?.outputs[0]?.rules).not.toBeNull();
    expect(check).toMatchObject({
      inputs: [
        { kind: 'file', file: 'out/report.md', fromStep: 'draft' },
        { kind: 'variable', name: 'topic' },
      ],
      outputs: [],
      reviews: [{ runEach: 'step', criteria: [{ name: 'asked', text: 'The user was asked' }] }],
    });
  });

  const cases: [string, string, string, string][] = [
    ['a missing key', 'summary: A demonstration\n', '', "root: missing required key 'summary'"],
    [
      'a misspelt key',
      'instructions: Write',
      'instruction: Write',
      "workflows -> main -> steps -> 0: unknown key 'instruction'; did you mean 'instructions'?",
    ],
    [
      'another type',
      'type: string',
      'type: text',
      "step_arguments -> 0 -> type: expected 'string' or 'file_path', found 'text'",
    ],
    [
      'another strategy',
      'individual',
      'all_changed_files',
      "step_arguments -> 1 -> review -> strategy: expected 'individual' or 'matches_together'",
    ],
    ['an invalid schema', '{type: object}', '{type: thing}', 'step_arguments -> 1 -> json_schema'],
    ['a workflow name that is no id', '  main:', '  Main-1:', "'Main-1' is not an id"],
    [
      'workflows as a list',
      'workflows:\n  main:\n    summary',
      'workflows:\n  - main:\n    summary',
      'workflows: expected a map, found',
    ],
  ];
  it.each(cases)('is refused for %s', async (_, from, to, says) => {
    verifies('LANG-7');
    expect(YML).toContain(from);
    const problems = await problemsOf(YML.replace(from, to));
    const found = problems.find((problem) => problem.includes(says));
    expect(found, problems.join('\n')).toMatch(/ \(line \d+, column \d+\)$/);
  });

  it('is refused if neither or both of instructions and sub_workflow are given', async () => {
    verifies('LANG-7');
    const sub = 'sub_workflow: {workflow_name: main}';
    for (const [yml, found] of [
      [YML.replace('        instructions: Look at it\n', ''), 'neither'],
      [YML.replace('instructions: Look at it', `instructions: Look\n        ${sub}`), 'both'],
    ] as const) {
      expect(await problemsOf(yml)).toEqual([
        expect.stringContaining(
          `expected exactly one of instructions, sub_workflow; found ${found}`,
        ),
      ]);
    }
  });

  it('has each invalid reference reported at its position', async () => {
    verifies('LANG-7');
    const yml = YML.replace('inputs: {topic: {required', 'inputs: {topik: {required')
      .replace('outputs: {out/report.md: {required: false}}', 'outputs: {ghost: {}, step: {}}')
      .replace('name: check', 'name: draft')
      .replace('instructions: Look at it', 'sub_workflow: {workflow_name: nowhere}');
    const of = (what: string) => `Step 'draft' of workflow 'main' has the ${what}`;
    expect(await pointed(yml)).toEqual([
      [
        `${of("input 'topik'")}, which is not in step_arguments; did you mean 'topic'?`,
        expect.stringMatching(/^topik/),
      ],
      [`${of("output 'ghost'")}, which is not in step_arguments`, expect.stringMatching(/^ghost/)],
      [`${of("output 'step'")}, which is not in step_arguments`, expect.stringMatching(/^step/)],
      ["Step 'draft' has an output named 'step'", expect.stringMatching(/^step/)],
      ["Workflow 'main' contains duplicate step 'draft'", 'draft'],
      [
        "Step 'draft' of workflow 'main' references non-existent workflow 'nowhere'",
        expect.stringMatching(/^nowhere/),
      ],
    ]);
  });
});
