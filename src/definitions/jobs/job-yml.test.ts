// What a job.yml may contain, in each of its styles, and within which limits it is read. What each mistake
// is refused for is in test/words/problems.test.ts.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  jobYml,
  loadJob,
  pointed,
  problemsOf,
  soundJob,
  writeFiles,
  writeJob,
} from '../../../test/support/job-files.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { loopsOf, membersOf, stepsOf } from '../../core/workflow.ts';

const codesOf = async (yml: string) => (await pointed(yml)).map(([code]) => code);
const shortStep = (id: string, more = '') =>
  `  - {id: ${id}, name: n, description: d, instructions_file: a.md, reviews: [], ${more || 'outputs: {}'}}`;
/** A job of these steps instead of the usual two. */
const ofSteps = (steps: readonly string[], workflows = '  []') =>
  jobYml({ workflows }).replace(
    /steps:\n[\s\S]*workflows/,
    `steps:\n${steps.join('\n')}\nworkflows`,
  );

describe('a valid job', () => {
  it('becomes the model', async () => {
    const yml = jobYml({
      a: `    inputs: [{name: topic, description: What about}]
    reviews:
      - run_each: notes.md
        quality_criteria: {complete: Is it complete?, 2: Is it short?}
        additional_review_guidance: Be kind.
    checks:
      - {name: tests, run: npm test}
      - {name: slow, run: make, timeout_seconds: 0.5}
    when: {var: wanted}
    exposed: yes
    hooks: {after_agent: [{prompt: x}], before_tool: [{script: y}], before_prompt: []}
    stop_hooks: [{prompt_file: z}]
    reports: {regression: {type: boolean, description: Did it work before?}}`,
      b: `    inputs: [{file: notes.md, from_step: a}]
    dependencies: [a]
    reviews: []`,
    }).replace('required: true', 'required: true, rules: {type: contains, value: x, message: m}');
    const job = await soundJob(yml);
    const [a, b] = job.steps;
    expect(job).toMatchObject({
      name: 'demo',
      version: '1.0.0',
      summary: 'A demonstration',
      description: null,
      commonInfo: 'Shared by all.',
      hash: createHash('sha256').update(yml).digest('hex'),
    });
    expect(a).toMatchObject({
      id: 'a',
      name: 'Step A',
      description: 'The first',
      instructions: { kind: 'file', file: 'a.md' },
      inputs: [{ kind: 'asked', name: 'topic', description: 'What about' }],
      outputs: [{ name: 'notes.md', type: 'file', description: 'The notes', required: true }],
      reviews: [
        {
          runEach: 'notes.md',
          criteria: [
            { name: 'complete', text: 'Is it complete?' },
            { name: '2', text: 'Is it short?' },
          ],
          guidance: 'Be kind.',
        },
      ],
      checks: [
        { name: 'tests', run: 'npm test', timeoutSeconds: 300 },
        { name: 'slow', run: 'make', timeoutSeconds: 0.5 },
      ],
      when: expect.anything(),
      reports: [{ name: 'regression', type: 'boolean' }],
    });
    expect(a?.outputs[0]?.rules).not.toBeNull();
    expect(b).toMatchObject({
      inputs: [{ kind: 'file', file: 'notes.md', fromStep: 'a' }],
      outputs: [],
      when: null,
    });
    expect(b?.reports).toBeUndefined();
    expect(job.workflows).toEqual([
      {
        name: 'main',
        summary: 'All of it',
        entries: [a, b].map((step) => ({ kind: 'steps', steps: [step] })),
      },
    ]);
  });

  it('may have a byte order mark, CRLF, concurrent steps, and a step in several workflows', async () => {
    verifies('JOBS-X.3');
    const workflows = `  - {name: one, summary: x, steps: [[a, b]]}
  - {name: two, summary: x, steps: [b, [a]], agent: writer}`;
    const text = `\ufeff${jobYml({ workflows }).replaceAll('\n', '\r\n')}`;
    const job = await soundJob(text);
    expect(job.hash).toBe(createHash('sha256').update(text).digest('hex'));
    const members = job.workflows.map(({ entries }) =>
      entries.map((entry) => membersOf(entry).map(({ id }) => id)),
    );
    expect(members).toEqual([[['a', 'b']], [['b'], ['a']]]);
  });

  it('may use the names of inherited properties for outputs', async () => {
    const outputs = 'outputs: {constructor: {type: files, description: x, required: no}}';
    const yml = jobYml().replace('notes.md:', '__proto__:').replace('outputs: {}', outputs);
    const { steps } = await soundJob(yml);
    expect(steps.map((step) => step.outputs[0]?.name)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });

  it.each([
    [['yes', 'Yes', 'YES', 'on', 'On', 'ON'], true],
    [['no', 'No', 'NO', 'off', 'Off', 'OFF'], false],
  ])('has %j as booleans, where one is expected', async (words, value) => {
    for (const word of words) {
      const yml = jobYml().replace('required: true', `required: ${word}`);
      const job = await soundJob(yml.replace('A demonstration', word));
      expect([job.steps[0]?.outputs[0]?.required, job.summary]).toEqual([value, word]);
    }
  });

  it('has at most 200 code points in its summary, and may take a file below an output folder', async () => {
    const yml = jobYml({
      b: `    reviews: []
    inputs: [{file: pages/one.md, from_step: a}]
    dependencies: [a]`,
    })
      .replace('notes.md: {type: file,', 'pages/: {type: files,')
      .replace('A demonstration', '🙂'.repeat(200));
    expect((await soundJob(yml)).steps).toHaveLength(2);
  });

  it('can have warnings', async () => {
    const warningsOf = async (yml: string) => {
      const loaded = await loadJob(writeJob(tempFolder(), 'demo', yml));
      return loaded.kind === 'job' ? loaded.warnings : [];
    };
    const yml = jobYml({ name: 'other', workflows: '  - {name: main, summary: x, steps: [a]}' });
    expect(await warningsOf(yml)).toEqual([
      expect.stringMatching(/'other'.*'demo' \(line 1, column 7\)$/),
      expect.stringMatching(/'b'.* \(line 14, column 9\)$/),
    ]);
    expect(await warningsOf(jobYml({ workflows: '  []' }))).toHaveLength(1);
  });
});

describe('entries', () => {
  const IDS = ['plan', 'make', 'test', 'lint', 'each', 'last'];
  const OUTPUTS =
    'outputs: {out: {type: file, description: d, required: true}, parts: {type: files, description: d, required: no}}';
  const flow = (steps: string) =>
    ofSteps(
      IDS.map((id) => shortStep(id, OUTPUTS)),
      `  - {name: flow, summary: x, steps: [${steps}]}`,
    );

  it('become the model, at any depth', async () => {
    verifies('LANG-3', 'LANG-4', 'LANG-5', 'LANG-6');
    const entries = [
      'plan',
      '{approve: {name: go_ahead, question: Good?, show: [plan.out], on_reject: {go_to: plan}}}',
      '{loop: {name: until_green, steps: [make, [test, lint]], until: {check: {name: t, run: make}}, max: 5}}',
      '{for_each: {name: all, items: plan.parts, step: each}}',
      '{run: {name: sub, job: other, workflow: w, inputs: {issue: issue, hard: {value: true}}}}',
      '{loop: {name: rounds, max: 2, until: {rules: [{type: contains, value: x, message: m}], output: last.out}, steps: [last]}}',
    ];
    const [workflow] = (await soundJob(flow(entries.join(', ')))).workflows;
    if (workflow === undefined) throw new Error('the workflow is missing');
    expect(stepsOf(workflow).map(({ id }) => id)).toEqual(IDS);
    expect(loopsOf(workflow).map(({ name }) => name)).toEqual(['until_green', 'rounds']);
    const output = { step: 'plan', output: 'out' };
    expect(workflow.entries.slice(1)).toMatchObject([
      { kind: 'approve', question: 'Good?', show: [output], onReject: { goTo: 'plan', max: 3 } },
      {
        kind: 'loop',
        max: 5,
        until: { kind: 'check', check: { name: 't', run: 'make', timeoutSeconds: 300 } },
        entries: [{ kind: 'steps' }, { kind: 'steps', steps: [{ id: 'test' }, { id: 'lint' }] }],
      },
      { kind: 'for_each', items: { output: 'parts' }, maxParallel: 4, maxItems: 100 },
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
    const nested = (depth: number): string => {
      const until = 'max: 5, until: {when: {var: green}}';
      if (depth === 0) return 'make';
      return `{loop: {name: l${depth}, ${until}, steps: [${nested(depth - 1)}]}}`;
    };
    await soundJob(flow(nested(3)));
    expect(await codesOf(flow(nested(4)))).toEqual(['too_deep']);
  });

  it('may not run a step before its dependency, also inside loops', async () => {
    const loop = '{loop: {name: x, max: 5, until: {when: {var: a}}, steps: [test, make]}}';
    const yml = flow(loop).replace('{id: test,', '{id: test, dependencies: [make],');
    expect(await codesOf(yml)).toEqual(['wrong_order']);
  });
});

describe('inputs of a workflow', () => {
  const withInputs = (inputs: string) =>
    jobYml({
      workflows: `  - name: main\n    summary: All\n    steps: [a, b]\n    inputs: ${inputs}\n`,
    });

  it('are read with their types, and are required unless they have a default', async () => {
    verifies('LANG-1');
    const inputs = [
      "issue: {description: An address, pattern: '^https://'}",
      'severity: {description: How bad, enum: [low, high], default: low}',
      'n: {description: A number, type: number, default: 2, required: true}',
      'strict: {description: Is it, type: boolean, default: yes}',
      'log: {description: A file, type: file, required: false}',
    ];
    const { workflows } = await soundJob(withInputs(`{${inputs.join(', ')}}`));
    expect(workflows[0]?.inputs).toMatchObject([
      { name: 'issue', type: 'string', required: true, default: null, enum: null },
      { name: 'severity', enum: ['low', 'high'], required: false, default: 'low' },
      { name: 'n', type: 'number', required: true, default: 2 },
      { name: 'strict', type: 'boolean', required: false, default: true },
      { name: 'log', type: 'file', required: false, default: null },
    ]);
    expect(workflows[0]?.inputs?.[0]?.pattern?.source).toBe('^https://');
    const { workflows: none } = await soundJob(withInputs('{}'));
    expect(Object.hasOwn(none[0] ?? {}, 'inputs')).toBe(false);
  });

  it('have their defaults tested within one budget for the file, which many alone do not use up', async () => {
    verifies('LANG-1');
    const slow = `pattern: '^(x+x+)+y1', default: ${'x'.repeat(36)}`;
    const variables = Array.from({ length: 15 }, (_, at) => `v${at}: {description: d, ${slow}}`);
    const reports = `    reviews: []\n    reports: {${variables.join(', ')}}`;
    await expectPiecesAtMost(200, async () => {
      const problems = await problemsOf(jobYml({ a: reports, b: reports }));
      expect(problems[0]).toContain('100 ms');
      expect(problems[9]).toContain('was not tested');
    });
    const fast = Array.from(
      { length: 1500 },
      (_, at) => `v${at}: {description: d, pattern: '^x${at}$', default: x${at}}`,
    );
    const { workflows } = await soundJob(withInputs(`{${fast.join(', ')}}`));
    expect(workflows[0]?.inputs).toHaveLength(1500);
  });
});

describe('the list style', () => {
  const YML = `name: demo
version: 1.0.0
summary: Older
description: |
  The long story.
changelog: [{version: 1.0.0, changes: First}]
steps:
  - id: a
    name: A
    description: The first
    instructions_file: a.md
    outputs: [report.md, {file: data/, doc_spec: specs/data.md}]
    quality_criteria: [Is complete, Names its sources]
  - id: b
    name: B
    description: The second
    instructions_file: b.md
    inputs: [{file: report.md, from_step: a}]
    outputs:
      - {file: final.md}
    dependencies: [a]
workflows:
  - {name: main, summary: All, steps: [a, b]}
`;

  it('is converted', async () => {
    verifies('JOBS-X.3');
    const { description, commonInfo, steps } = await soundJob(YML);
    expect([description, commonInfo]).toEqual(['The long story.\n', 'The long story.\n']);
    expect(steps).toMatchObject([
      {
        outputs: [
          { name: 'report.md', type: 'file', required: true, rules: null, lint: null },
          { name: 'data/', type: 'files', required: true, rules: null, lint: null },
        ],
        reviews: [
          {
            runEach: 'step',
            criteria: [{ text: 'Is complete' }, { text: 'Names its sources' }],
            guidance: null,
          },
        ],
      },
      { outputs: [{ name: 'final.md' }], reviews: [] },
    ]);
  });

  it('needs no description, and may have steps of the current style', async () => {
    const job = await soundJob(
      YML.replace(/description: \|\n.*\n/, '').replace(
        '- {file: final.md}',
        'final.md: {type: file, description: d, required: no}',
      ),
    );
    expect(job).toMatchObject({ description: null, commonInfo: '' });
    expect(job.steps[1]?.outputs[0]).toMatchObject({ name: 'final.md', required: false });
  });
});

it('a job with step_arguments becomes the same model', async () => {
  verifies('LANG-7');
  const job = await soundJob(`name: demo
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
`);
  expect(job).toMatchObject({ name: 'demo', version: '0.0.0', description: null });
  const [workflow] = job.workflows;
  expect(workflow?.inputs).toMatchObject([{ name: 'topic', type: 'string', required: true }]);
  const report = 'out/report.md';
  expect(workflow && stepsOf(workflow)).toMatchObject([
    {
      id: 'draft',
      instructions: { kind: 'text', prompt: 'Write about it' },
      inputs: [{ kind: 'variable', name: 'topic', fromStep: null, isFile: false }],
      outputs: [
        { name: report, type: 'file', orList: true, required: false, rules: expect.anything() },
      ],
      reviews: [{ runEach: report, criteria: [{ name: report, text: 'It is short' }] }],
    },
    {
      inputs: [
        { kind: 'file', file: report, fromStep: 'draft' },
        { kind: 'variable', name: 'topic' },
      ],
      outputs: [],
      reviews: [{ runEach: 'step', criteria: [{ name: 'asked', text: 'The user was asked' }] }],
    },
  ]);
});

describe('problems', () => {
  it('are reported at the key or the value, all at once, in a fixed order', async () => {
    verifies('JOBS-X.3');
    const yml = `${jobYml({
      name: 'Demo',
      a: '    reviews: [{run_each: y, quality_criteria: {c: d}}]\n    dependencies: [b, x]\n    colour: red',
      b: '    inputs: [{file: other.md, from_step: a}]\n    reviews: []\n    dependencies: [b]',
      workflows:
        '  - {name: w, summary: x, steps: [b, b, z]}\n  - {name: w, summary: x, steps: [b]}',
    })
      .replace('b.md', '../b.md')
      .replace('notes.md:', 'step:')}version: "2.0.0"\n`;
    expect(await pointed(yml)).toEqual([
      ['duplicate_key', 'version: "2.0.0"'],
      ['wrong_value', 'Demo'],
      ['unknown_key', 'colour: red'],
      ['unknown_step', 'x]'],
      ['circular_dependency', 'b]'],
      ['missing_dependency', 'a}]'],
      ['unknown_output', 'y, quality_criteria: {c: d}}]'],
      ['duplicate_id', 'b, z]}'],
      ['unknown_step', 'z]}'],
      ['duplicate_id', 'w, summary: x, steps: [b]}'],
      ['instructions_unusable', '../b.md'],
      ['reserved_name', 'step: {type: file, description: The notes, required: true}'],
      ['unknown_output', 'other.md, from_step: a}]'],
    ]);
    const [loading, shape] = await problemsOf(yml);
    expect([loading, shape]).toEqual([
      expect.stringMatching(/^Failed to load job.yml: duplicate key 'version'/),
      expect.stringMatching(/^Job definition validation failed: Validation error at name: 'Demo'/),
    ]);
  });

  it('leave the declared name known', async () => {
    const dir = writeJob(tempFolder(), 'demo', jobYml({ name: 'declared', root: 'x: 1' }));
    expect(await loadJob(dir)).toMatchObject({ kind: 'broken', declaredName: 'declared' });
  });

  it('are one for each cycle of dependencies, at its first step, and no others', async () => {
    const graph = fc.integer({ min: 1, max: 7 }).chain((size) =>
      fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), {
        minLength: size,
        maxLength: size,
      }),
    );
    const dependingOn = (ids: readonly number[]) =>
      `outputs: {}, dependencies: [${ids.map((id) => `s${id}`)}]`;
    await fc.assert(
      fc.asyncProperty(graph, async (edges) => {
        const yml = ofSteps(edges.map((ids, at) => shortStep(`s${at}`, dependingOn(ids))));
        const reaches = edges.map((ids) => {
          const seen = new Set(ids);
          for (const id of seen) for (const next of edges[id] ?? []) seen.add(next);
          return seen;
        });
        const inCircle = (a: number, b: number) => reaches[a]?.has(b) && reaches[b]?.has(a);
        const firsts = edges.flatMap((_, at) =>
          edges.findIndex((_, other) => inCircle(at, other)) === at ? [`step 's${at}'`] : [],
        );
        const loaded = await loadJob(writeJob(tempFolder(), 'demo', yml));
        const told = loaded.kind === 'job' ? [] : loaded.problems;
        expect(told.map((problem) => /step 's\d'/.exec(problem)?.[0])).toEqual(firsts);
      }),
      { numRuns: 200 },
    );
  });

  it('fit into an answer, each on one line, and the others are counted', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `unknown_key_${index}: 1`).join('\n');
    const problems = await problemsOf(jobYml({ root: many }));
    expect(Buffer.byteLength(problems.join('\n'))).toBeLessThan(3900);
    expect(problems.at(-1)).toContain(`${300 - (problems.length - 1)}`);
    const long = `    reviews: [{run_each: "${'x\\n'.repeat(5000)}", quality_criteria: {c: d}}]`;
    const [problem, ...others] = await problemsOf(jobYml({ a: long }));
    expect(others).toEqual([]);
    expect(problem).toMatch(/^[^\n]{1,400}$/);
  });
});

describe('limits', () => {
  it.each(['', '\ufeff', ' \n', '# nothing\n', '---\n', '~\n'])('%j is empty', async (yml) => {
    verifies('JOBS-X.3');
    expect(await pointed(yml)).toEqual([['empty_file', yml.split('\n')[0]]]);
  });

  it('what is not UTF-8 is refused at the first bad byte', async () => {
    verifies('JOBS-REQ-001.2.6');
    const bytes = Buffer.concat([Buffer.from('name: x\nab'), Buffer.from([0xff, 0xfe, 0x0a])]);
    expect(await problemsOf(bytes)).toEqual([expect.stringContaining('(line 2, column 3)')]);
    const utf16 = Buffer.from(`\ufeff${jobYml()}`, 'utf16le');
    expect(await problemsOf(utf16)).toEqual([expect.stringContaining('UTF-8')]);
  });

  it('files have at most 1 MiB', async () => {
    const fill = (size: number) => `${jobYml()}#`.padEnd(size, '.');
    expect(await problemsOf(fill(1024 * 1024 + 1))).toEqual([expect.stringContaining('1 MiB')]);
    await soundJob(fill(1024 * 1024));
  });

  it('deep nesting and alias bombs are refused before any other check', async () => {
    verifies('JOBS-X.3', 'JOBS-REQ-001.2.6');
    const bomb = Array.from({ length: 12 }, (_, level) => {
      const item = level === 0 ? 'x' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array(8).fill(item).join(', ')}]`;
    });
    expect(await codesOf(`name: ${'['.repeat(100_000)}`)).toEqual(['over_limit']);
    expect(await codesOf(bomb.join('\n'))).toEqual(['over_limit']);
  });

  it('tens of thousands of mistakes, or hundreds of steps, do not take long', async () => {
    await expectPiecesAtMost(1500, async () => {
      const ids = `[${'9,'.repeat(15_000)}]`;
      const problems = await problemsOf(jobYml({ b: `    reviews: []\n    dependencies: ${ids}` }));
      expect(Buffer.byteLength(problems.join('\n'))).toBeLessThan(3900);
    });
    const ids = Array.from({ length: 800 }, (_, index) => `s${index}`);
    const chain = ids.map((id, at) =>
      shortStep(id, `outputs: {}, dependencies: [${ids.slice(Math.max(0, at - 1), at)}]`),
    );
    await expectPiecesAtMost(1500, async () => {
      const flow = `  - {name: main, summary: x, steps: [${ids}]}`;
      expect((await soundJob(ofSteps(chain, flow))).workflows[0]?.entries).toHaveLength(800);
    });
  });
});

describe('a job directory', () => {
  const load = async (dir: string) => {
    const loaded = await loadJob(dir);
    return loaded.kind === 'job' ? 'sound' : loaded.problems.join('\n');
  };

  it('must contain a job.yml that is a regular file; a pipe is refused at once', async () => {
    const top = tempFolder('none', 'folder/job.yml', 'pipe');
    execFileSync('mkfifo', [join(top, 'pipe/job.yml')]);
    expect(await load(join(top, 'none'))).toContain('it does not exist (line 1, column 1)');
    for (const name of ['folder', 'pipe']) {
      expect(await load(join(top, name))).toContain('not a regular file');
    }
  });

  it('may have a link for its job.yml inside the jobs folder, but not out of it', async () => {
    const top = tempFolder();
    const jobs = join(top, 'jobs');
    writeFiles(top, { 'job.yml': jobYml(), 'jobs/shared.yml': jobYml() });
    for (const [name, target] of [
      ['inside', '../shared.yml'],
      ['outside', '../../job.yml'],
      ['circle', 'job.yml'],
      ['nowhere', 'none.yml'],
    ] as const) {
      writeFiles(join(jobs, name), { 'a.md': 'x', 'b.md': 'y' });
      symlinkSync(target, join(jobs, name, 'job.yml'));
    }
    expect(await load(join(jobs, 'inside'))).toBe('sound');
    expect(await load(join(jobs, 'outside'))).toContain('link that leaves the jobs folder');
    expect(await load(join(jobs, 'circle'))).toContain('circle');
    expect(await load(join(jobs, 'nowhere'))).toContain('it does not exist');
  });

  it('may be a link itself', async () => {
    const jobs = tempFolder();
    symlinkSync(writeJob(tempFolder(), 'demo', jobYml()), join(jobs, 'demo'));
    expect(await load(join(jobs, 'demo'))).toBe('sound');
  });
});
