import { describe, expect, it } from 'vitest';
import { jobYml, pointed, problemsOf, soundJob } from '../../../test/support/job-files.ts';
import { verifies } from '../../../test/verifies.ts';

const SHAPE = 'Job definition validation failed: Validation error at';

describe('shape problems', () => {
  const cases: [string, (yml: string) => string, string][] = [
    ['a list at the root', () => '- a', 'root: expected a map with the keys name, version'],
    [
      'a missing key',
      (y) => y.replace(/^summary.*\n/m, ''),
      "root: missing required key 'summary'",
    ],
    [
      'a misspelt key',
      (y) => y.replace('instructions_file', 'instruction_file'),
      "steps -> 0: unknown key 'instruction_file'; did you mean 'instructions_file'?",
    ],
    [
      'a foreign key',
      (y) => `${y}\nextra: 1`,
      "root: unknown key 'extra'; allowed here: name, version",
    ],
    [
      'a merge key',
      (y) => `${y}\n<<: {}`,
      "root: unknown key '<<'; merge keys are not part of YAML 1.2",
    ],
    ['an inherited name as key', (y) => `${y}\nconstructor: 1`, "root: unknown key 'constructor'"],
    [
      'a description that is empty',
      (y) => `${y}\ndescription: ''`,
      'description: expected text, found an empty text',
    ],
    [
      'a name that is not an id',
      (y) => y.replace('name: demo', 'name: My-Job'),
      "name: 'My-Job' is not an id",
    ],
    [
      'a name with a line break',
      (y) => y.replace('name: demo', 'name: "demo\\n"'),
      "name: 'demo\\n' is not an id",
    ],
    [
      'a number for a version',
      (y) => y.replace('"1.0.0"', '1.0'),
      "version: expected text, found the number '1.0'; put it in quotes",
    ],
    ['a short version', (y) => y.replace('"1.0.0"', '"1.0"'), "version: '1.0' is not a version"],
    [
      'a long summary',
      (y) => y.replace('A demonstration', 'é'.repeat(201)),
      'summary: expected at most 200 characters, found 201',
    ],
    [
      'an empty summary',
      (y) => y.replace('A demonstration', '""'),
      'summary: expected text, found an empty text',
    ],
    [
      'an empty common text',
      (y) => y.replace('Shared by all.', "''"),
      'common_job_info_provided_to_all_steps_at_runtime: expected text',
    ],
    [
      'no steps',
      (y) => y.replace(/steps:\n(.*\n)*workflows/, 'steps: []\nworkflows'),
      'steps: expected at least 1 item',
    ],
    [
      'steps as text',
      (y) => y.replace(/steps:\n(.*\n)*workflows/, 'steps: a\nworkflows'),
      "steps: expected a list, found the text 'a'",
    ],
    [
      'a step as text',
      (y) => y.replace(/steps:\n(.*\n)*workflows/, 'steps: [a]\nworkflows'),
      'steps -> 0: expected a map with the keys id, name',
    ],
    [
      'missing outputs',
      (y) => y.replace('outputs: {}', 'outputs:'),
      'steps -> 1 -> outputs: expected a map, found nothing; write {} for none',
    ],
    [
      'an unknown output type',
      (y) => y.replace('type: file', 'type: folder'),
      "steps -> 0 -> outputs -> notes.md -> type: expected 'file' or 'files', found 'folder'",
    ],
    [
      'a quoted boolean',
      (y) => y.replace('required: true', 'required: "yes"'),
      "steps -> 0 -> outputs -> notes.md -> required: expected true or false, found the text 'yes'",
    ],
    [
      'missing reviews',
      (y) => y.replace('    reviews: []\nworkflows', 'workflows'),
      "steps -> 1: missing required key 'reviews'",
    ],
    [
      'a review without criteria',
      (y) => y.replace('reviews: []', 'reviews: [{run_each: step, quality_criteria: {}}]'),
      'steps -> 0 -> reviews -> 0 -> quality_criteria: expected at least 1 entry',
    ],
    [
      'an empty concurrent entry',
      (y) => y.replace('steps: [a, b]', 'steps: [a, []]'),
      'workflows -> 0 -> steps -> 1: expected at least 1 item',
    ],
    [
      'an input of both kinds',
      (y) => y.replace('reviews: []', 'reviews: []\n    inputs: [{name: x, file: y}]'),
      "steps -> 0 -> inputs -> 0: missing required key 'from_step'",
    ],
    [
      'an empty input',
      (y) => y.replace('reviews: []', 'reviews: []\n    inputs: [{}]'),
      "steps -> 0 -> inputs -> 0: missing required key 'name'",
    ],
    [
      'a hook of two kinds',
      (y) => y.replace('reviews: []', 'reviews: []\n    stop_hooks: [{prompt: x, script: y}]'),
      'steps -> 0 -> stop_hooks -> 0: expected a map with exactly one of prompt, prompt_file, script, found prompt, script',
    ],
    [
      'an unknown hook',
      (y) => y.replace('reviews: []', 'reviews: []\n    hooks: {before_agent: []}'),
      "steps -> 0 -> hooks: unknown key 'before_agent'",
    ],
    [
      'a check without command',
      (y) => y.replace('reviews: []', 'reviews: []\n    checks: [{name: x}]'),
      "steps -> 0 -> checks -> 0: missing required key 'run'",
    ],
    [
      'two checks of one name',
      (y) =>
        y.replace('reviews: []', 'reviews: []\n    checks: [{name: x, run: y}, {name: x, run: z}]'),
      "steps -> 0 -> checks -> 1 -> name: duplicate check name 'x'",
    ],
    [
      'a timeout of zero',
      (y) =>
        y.replace(
          'reviews: []',
          'reviews: []\n    checks: [{name: x, run: y, timeout_seconds: 0}]',
        ),
      'steps -> 0 -> checks -> 0 -> timeout_seconds: expected a number of seconds',
    ],
    [
      'an infinite timeout',
      (y) =>
        y.replace(
          'reviews: []',
          'reviews: []\n    checks: [{name: x, run: y, timeout_seconds: .inf}]',
        ),
      'steps -> 0 -> checks -> 0 -> timeout_seconds: expected a number of seconds',
    ],
    [
      'an invalid condition',
      (y) => y.replace('reviews: []', 'reviews: []\n    when: {var: x, equal: 1}'),
      'steps -> 0 -> when',
    ],
    [
      'an invalid rule',
      (y) =>
        y.replace(
          'required: true',
          'required: true, rules: [{type: regex, pattern: "(", message: m}]',
        ),
      'steps -> 0 -> outputs -> notes.md -> rules -> 0',
    ],
  ];

  it.each(cases)('finds %s', async (_, change, expected) => {
    verifies('JOBS-X.3');
    const yml = jobYml();
    expect(change(yml)).not.toBe(yml);
    const problems = await problemsOf(change(yml));
    expect(problems.join('\n')).toContain(`${SHAPE} ${expected}`);
    for (const problem of problems) expect(problem).toMatch(/ \(line \d+, column \d+\)$/);
  });

  it('points at the key or the value', async () => {
    const when = '    reviews: []\n    when:\n      and:\n        - {vra: x}';
    const found = await pointed(jobYml({ root: 'extra: 1', a: when, b: '    reviews: 7' }));
    expect(found.map(([, text]) => text)).toEqual([
      'extra: 1',
      expect.stringMatching(/^vra: x/),
      '7',
    ]);
  });

  it('accepts yes, no, on and off as booleans, in the usual letter cases', async () => {
    for (const word of ['yes', 'Yes', 'YES', 'on', 'On', 'ON']) {
      const job = await soundJob(jobYml().replace('required: true', `required: ${word}`));
      expect(job.steps[0]?.outputs[0]?.required).toBe(true);
    }
    for (const word of ['no', 'No', 'NO', 'off', 'Off', 'OFF', 'False']) {
      const job = await soundJob(jobYml().replace('required: true', `required: ${word}`));
      expect(job.steps[0]?.outputs[0]?.required).toBe(false);
    }
    const named = await soundJob(jobYml().replace('summary: A demonstration', 'summary: yes'));
    expect(named.summary).toBe('yes');
  });

  it('counts the characters of a summary in code points', async () => {
    const job = await soundJob(jobYml().replace('A demonstration', '🙂'.repeat(200)));
    expect(job.summary).toBe('🙂'.repeat(200));
  });
});
