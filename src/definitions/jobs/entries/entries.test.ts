import { describe, expect, it } from 'vitest';
import { problemsOf, soundJob } from '../../../../test/support/job-files.ts';
import { verifies } from '../../../../test/verifies.ts';
import { loopsOf, stepsOf } from '../../../core/workflow.ts';

const STEPS = ['plan', 'make', 'test', 'lint', 'each', 'last'];

/** A job of these steps, each with a file `out` and files `parts`, and one workflow. */
function job(steps: string): string {
  const texts = STEPS.map(
    (id) => `  - id: ${id}
    name: ${id}
    description: One of them
    instructions_file: a.md
    outputs:
      out: {type: file, description: A file, required: true}
      parts: {type: files, description: Files, required: false}
    reviews: []`,
  );
  return `name: demo
version: "1.0.0"
summary: A demonstration
common_job_info_provided_to_all_steps_at_runtime: Shared by all.
steps:
${texts.join('\n')}
workflows:
  - name: flow
    summary: x
    steps:
${steps
  .trim()
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
`;
}

const LOOP = 'max: 5, until: {when: {var: green}}';

describe('entries', () => {
  it('become the model, at any depth', async () => {
    verifies('LANG-3', 'LANG-4', 'LANG-5', 'LANG-6');
    const { workflows } = await soundJob(
      job(`
- plan
- approve: {name: go_ahead, question: Good?, show: [plan.out], on_reject: {go_to: plan}}
- loop:
    name: until_green
    steps: [make, [test, lint]]
    until: {check: {name: tests, run: npm test}}
    max: 5
- for_each: {name: all, items: plan.parts, step: each}
- run: {name: sub, job: other, workflow: w, inputs: {issue: issue, hard: {value: true}}}
- loop:
    name: rounds
    max: 2
    until: {rules: [{type: contains, value: x, message: m}], output: last.out}
    steps: [last]
`),
    );
    const [workflow] = workflows;
    if (workflow === undefined) throw new Error('the workflow is missing');
    expect(stepsOf(workflow).map(({ id }) => id)).toEqual(STEPS);
    expect(loopsOf(workflow).map(({ name }) => name)).toEqual(['until_green', 'rounds']);
    expect(workflow.entries.slice(1)).toMatchObject([
      {
        kind: 'approve',
        question: 'Good?',
        show: [{ step: 'plan', output: 'out' }],
        onReject: { goTo: 'plan', max: 3 },
      },
      {
        kind: 'loop',
        max: 5,
        until: { kind: 'check', check: { name: 'tests', run: 'npm test', timeoutSeconds: 300 } },
        entries: [{ kind: 'steps' }, { kind: 'steps', steps: [{ id: 'test' }, { id: 'lint' }] }],
      },
      {
        kind: 'for_each',
        items: { step: 'plan', output: 'parts' },
        maxParallel: 4,
        maxItems: 100,
      },
      {
        kind: 'run',
        inputs: [
          { name: 'issue', from: 'issue' },
          { name: 'hard', value: true },
        ],
      },
      { kind: 'loop', until: { kind: 'rules', output: { step: 'last', output: 'out' } } },
    ]);
  });

  it('nest up to three loops deep', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'make' : `{loop: {name: l${depth}, ${LOOP}, steps: [${nested(depth - 1)}]}}`;
    await soundJob(job(`- ${nested(3)}`));
    expect(await problemsOf(job(`- ${nested(4)}`))).toEqual([
      expect.stringContaining('loops nest at most 3 deep'),
    ]);
  });
});

describe('problems of entries', () => {
  const cases: [string, string, string][] = [
    ['a misspelt kind', '- lop: {name: x}', "unknown key 'lop'; did you mean 'loop'?"],
    [
      'two kinds in one',
      '- {loop: {}, run: {}}',
      'expected a map with exactly one of loop, for_each, approve, run, found loop, run',
    ],
    ['nothing in it', '- {}', 'found none'],
    [
      'an unknown key',
      `- loop: {name: x, ${LOOP}, steps: [make], times: 2}`,
      "unknown key 'times'",
    ],
    ['a missing key', '- approve: {name: x}', "missing required key 'question'"],
    [
      'too many passes',
      '- loop: {name: x, max: 101, until: {when: {var: a}}, steps: [make]}',
      "max: expected a whole number from 1 to 100, found the number '101'",
    ],
    [
      'an until of two kinds',
      '- loop: {name: x, max: 1, until: {when: {var: a}, check: {name: c, run: c}}, steps: [make]}',
      'until: expected exactly one of check, when, rules, found check, when',
    ],
    [
      'rules without an output',
      '- loop: {name: x, max: 1, until: {rules: [{type: length, message: m}]}, steps: [make]}',
      "missing required key 'output'",
    ],
    [
      'empty rules',
      '- loop: {name: x, max: 1, until: {rules: [], output: make.out}, steps: [make]}',
      'expected at least 1 rule',
    ],
    [
      'an invalid rule in a loop',
      '- loop: {name: x, max: 1, until: {rules: [{type: lenght, message: m}], output: make.out}, steps: [make]}',
      'until -> rules -> 0',
    ],
    ['an invalid reference', '- for_each: {name: x, items: plan, step: each}', 'write step.output'],
    [
      'a duplicate name',
      '- plan\n- approve: {name: plan, question: q}',
      "Workflow 'flow' uses the name 'plan' twice",
    ],
    [
      'a duplicate step',
      `- make\n- loop: {name: x, ${LOOP}, steps: [make]}`,
      "Workflow 'flow' contains duplicate step 'make'",
    ],
    [
      'an unknown step',
      `- loop: {name: x, ${LOOP}, steps: [nope]}`,
      "Workflow 'flow' references non-existent step 'nope'",
    ],
    [
      'items of a step that is not in the workflow',
      '- for_each: {name: x, items: plan.out, step: each}',
      "for_each 'x' uses 'plan', which is not a step of workflow 'flow'",
    ],
    [
      'items of a later step',
      '- for_each: {name: x, items: plan.out, step: each}\n- plan',
      "for_each 'x' uses 'plan', which does not come before it",
    ],
    [
      'items of an unknown output',
      '- plan\n- for_each: {name: x, items: plan.modules, step: each}',
      "for_each 'x' uses output 'modules' of 'plan', which has no such output",
    ],
    [
      'items of items',
      '- plan\n- for_each: {name: x, items: plan.out, step: each}\n- for_each: {name: y, items: each.out, step: make}',
      'which itself runs once for each item',
    ],
    [
      'an approval of a later output',
      '- approve: {name: x, question: q, show: [make.out]}\n- make',
      "approve 'x' uses 'make', which does not come before it",
    ],
    [
      'a rejection that goes to a later step',
      '- approve: {name: x, question: q, on_reject: {go_to: make}}\n- make',
      "approve 'x' goes back to 'make', which does not come before it",
    ],
    [
      'a rejection that goes to an unknown step',
      '- approve: {name: x, question: q, on_reject: {go_to: nope}}',
      "approve 'x' goes back to 'nope', which is not in workflow 'flow'",
    ],
    [
      'a misspelt step',
      '- plan\n- for_each: {name: x, items: plann.out, step: each}',
      "for_each 'x' uses 'plann', which is not a step of workflow 'flow'; did you mean 'plan'?",
    ],
    [
      'a misspelt output',
      '- plan\n- approve: {name: x, question: q, show: [plan.outt]}',
      "approve 'x' uses output 'outt' of 'plan', which has no such output; did you mean 'out'?",
    ],
    [
      'a rejection that goes to a misspelt step, but not to a later one',
      '- plan\n- approve: {name: x, question: q, on_reject: {go_to: plann}}\n- approve: {name: plannn, question: q}',
      "approve 'x' goes back to 'plann', which is not in workflow 'flow'; did you mean 'plan'?",
    ],
    [
      'a loop that judges an output of another step',
      '- plan\n- loop: {name: x, max: 1, until: {rules: [{type: length, message: m}], output: plan.out}, steps: [make]}',
      "loop 'x' judges 'plan', which is not in it",
    ],
  ];

  it.each(cases)('finds %s', async (_, steps, expected) => {
    verifies('LANG-3', 'LANG-4', 'LANG-5');
    const problems = await problemsOf(job(steps));
    expect(problems.join('\n')).toContain(expected);
    for (const problem of problems) expect(problem).toMatch(/ \(line \d+, column \d+\)$/);
  });

  it('finds nothing else wrong with an entry that has no name', async () => {
    const problems = await problemsOf(job('- plan\n- approve: {question: q, show: [plan.out]}'));
    expect(problems).toEqual([expect.stringContaining("missing required key 'name'")]);
  });

  it('finds nothing else wrong with a loop that has the name of one of its steps', async () => {
    const problems = await problemsOf(
      job(`- loop: {name: make, max: 2, until: {rules: [{type: length, min: 1, message: m}], output: make.out}, steps: [make, test]}
- approve: {name: ok, question: q, show: [make.out]}`),
    );
    expect(problems).toEqual([expect.stringContaining("uses the name 'make' twice")]);
  });

  it('finds steps that run before their dependencies, also inside loops', async () => {
    const yml = job(`- loop: {name: x, ${LOOP}, steps: [test, make]}`).replace(
      '- id: test',
      '- id: test\n    dependencies: [make]',
    );
    expect(await problemsOf(yml)).toEqual([
      expect.stringContaining("Workflow 'flow' runs 'test' before its dependency 'make'"),
    ]);
  });
});
