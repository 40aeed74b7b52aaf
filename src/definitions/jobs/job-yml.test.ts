import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  jobYml,
  loadJob,
  problemsOf,
  soundJob,
  writeFiles,
  writeJob,
} from '../../../test/support/job-files.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { membersOf } from '../../core/workflow.ts';

const SHAPE = 'Job definition validation failed: Validation error at';

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
    hidden: Off
    agent: writer
    hooks: {after_agent: [{prompt: x}], before_tool: [{script: y}], before_prompt: []}
    stop_hooks: [{prompt_file: z}]`,
      b: `    inputs: [{file: notes.md, from_step: a}]
    dependencies: [a]
    reviews: []`,
    });
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
    });
    expect(a?.when).not.toBeNull();
    expect(b).toMatchObject({
      inputs: [{ kind: 'file', file: 'notes.md', fromStep: 'a' }],
      outputs: [],
      when: null,
    });
    expect(job.workflows).toEqual([
      {
        name: 'main',
        summary: 'All of it',
        entries: [a, b].map((step) => ({ kind: 'steps', steps: [step] })),
      },
    ]);
  });

  it('may have concurrent steps and use a step in several workflows', async () => {
    const workflows = `  - {name: one, summary: x, steps: [[a, b]]}
  - {name: two, summary: x, steps: [b, [a]], agent: writer}`;
    const job = await soundJob(jobYml({ workflows }));
    expect(
      job.workflows.map(({ entries }) =>
        entries.map((entry) => membersOf(entry).map(({ id }) => id)),
      ),
    ).toEqual([[['a', 'b']], [['b'], ['a']]]);
  });

  it('may have a byte order mark and CRLF line ends', async () => {
    verifies('JOBS-X.3');
    const job = await soundJob(`\ufeff${jobYml().replaceAll('\n', '\r\n')}`);
    expect(job.summary).toBe('A demonstration');
  });

  it('may use the names of inherited properties for outputs', async () => {
    const yml = jobYml()
      .replace('notes.md:', '__proto__:')
      .replace(
        '    outputs: {}',
        '    outputs: {constructor: {type: files, description: x, required: no}}',
      );
    const job = await soundJob(yml);
    expect(job.steps.map(({ outputs }) => outputs.map(({ name }) => name))).toEqual([
      ['__proto__'],
      ['constructor'],
    ]);
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });

  it('compiles the rules of its outputs', async () => {
    const rules = '{type: contains, value: x, message: Must have x}';
    const yml = jobYml().replace('required: true', `required: true, rules: ${rules}`);
    const job = await soundJob(yml);
    expect(job.steps[0]?.outputs[0]?.rules).not.toBeNull();
  });

  it('can have warnings', async () => {
    const yml = jobYml({ name: 'other', workflows: '  - {name: main, summary: x, steps: [a]}' });
    const loaded = await loadJob(writeJob(tempFolder(), 'demo', yml));
    expect(loaded).toMatchObject({
      kind: 'job',
      warnings: [
        "Job name 'other' differs from directory 'demo' (line 1, column 7)",
        "Step 'b' is in no workflow (line 14, column 9)",
      ],
    });
    const idle = await loadJob(writeJob(tempFolder(), 'demo', jobYml({ workflows: '  []' })));
    expect(idle).toMatchObject({
      kind: 'job',
      warnings: ['Job has no workflows, so it cannot be started (line 1, column 1)'],
    });
  });
});

describe('loading problems', () => {
  it.each(['', '\ufeff', ' \n', '# nothing\n', '---\n', '~\n'])('finds %j empty', async (yml) => {
    verifies('JOBS-X.3');
    expect(await problemsOf(yml)).toEqual(['job.yml is empty (line 1, column 1)']);
  });

  it('reports syntax errors of the YAML', async () => {
    expect(await problemsOf('name: demo\nname: demo2\nsteps: [\n')).toEqual([
      expect.stringMatching(/^Failed to load job\.yml: .* \(line \d, column \d+\)$/),
    ]);
  });

  it('reports further problems after a duplicate key', async () => {
    const [first, ...rest] = await problemsOf(`name: demo\n${jobYml({ root: 'sumary: x' })}`);
    expect(first).toBe("Failed to load job.yml: duplicate key 'name' (line 2, column 1)");
    expect(rest).toEqual([
      `${SHAPE} root: unknown key 'sumary'; did you mean 'summary'? (line 6, column 1)`,
    ]);
  });

  it('refuses what is not UTF-8, at the first bad byte', async () => {
    verifies('JOBS-REQ-001.2.6');
    const bytes = Buffer.concat([Buffer.from('name: x\nab'), Buffer.from([0xff, 0xfe, 0x0a])]);
    expect(await problemsOf(bytes)).toEqual([
      'Failed to load job.yml: it is not UTF-8 text (line 2, column 3)',
    ]);
    expect(await problemsOf(Buffer.from(`\ufeff${jobYml()}`, 'utf16le'))).toEqual([
      'Failed to load job.yml: it is not UTF-8 text (line 1, column 1)',
    ]);
  });

  it('refuses files above 1 MiB, and accepts one of exactly 1 MiB', async () => {
    const fill = (size: number) => `${jobYml()}#`.padEnd(size, '.');
    expect(await problemsOf(fill(1024 * 1024 + 1))).toEqual([
      'Failed to load job.yml: it is larger than 1 MiB (line 1, column 1)',
    ]);
    expect(await problemsOf(fill(10 * 1024 * 1024))).toHaveLength(1);
    await soundJob(fill(1024 * 1024));
  });

  it('refuses deep nesting and alias bombs before any other check', async () => {
    verifies('JOBS-X.3', 'JOBS-REQ-001.2.6');
    const deep = `name: ${'['.repeat(100_000)}`;
    const bomb = Array.from({ length: 12 }, (_, level) => {
      const item = level === 0 ? 'x' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array(8).fill(item).join(', ')}]`;
    });
    expect(await problemsOf(deep)).toEqual([
      'Failed to load job.yml: nested deeper than 64 levels (line 1, column 72)',
    ]);
    expect(await problemsOf(bomb.join('\n'))).toEqual([
      expect.stringContaining('Failed to load job.yml: its aliases expand to too many values'),
    ]);
  });

  it('reports a directory without job.yml', async () => {
    expect(await loadJob(tempFolder())).toEqual({
      kind: 'broken',
      declaredName: null,
      problems: ['Failed to load job.yml: it does not exist (line 1, column 1)'],
    });
  });
});

describe('the size of the report', () => {
  it('fits into an answer and counts the rest', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `unknown_key_${index}: 1`).join('\n');
    const problems = await problemsOf(jobYml({ root: many }));
    const told = problems.length - 1;
    expect(Buffer.byteLength(problems.join('\n'))).toBeLessThan(3900);
    expect(told).toBeGreaterThan(5);
    expect(problems.at(-1)).toBe(`and ${300 - told} more problems`);
  });

  it('is bounded for tens of thousands of mistakes, and does not take long', async () => {
    const ids = `[${'9,'.repeat(15_000)}]`;
    await expectPiecesAtMost(1500, async () => {
      const problems = await problemsOf(jobYml({ b: `    reviews: []\n    dependencies: ${ids}` }));
      expect(problems.at(-1)).toMatch(/^and (at least )?\d+ more problems$/);
      expect(Buffer.byteLength(problems.join('\n'))).toBeLessThan(3900);
    });
  });

  it('keeps every problem on one line, even with long names', async () => {
    const yml = jobYml({
      a: `    reviews: [{run_each: "${'x\\n'.repeat(5000)}", quality_criteria: {c: d}}]`,
    });
    const [problem, ...more] = await problemsOf(yml);
    expect(more).toEqual([]);
    expect(problem).not.toContain('\n');
    expect(problem?.length).toBeLessThan(400);
  });

  it('does not take long for a job of hundreds of steps', async () => {
    const steps = Array.from({ length: 800 }, (_, index) => {
      const before = index > 0 ? `s${index - 1}` : '';
      return `  - {id: s${index}, name: n, description: d, instructions_file: a.md, outputs: {}, reviews: [], dependencies: [${before}]}`;
    });
    const ids = Array.from({ length: 800 }, (_, index) => `s${index}`).join(', ');
    const yml = jobYml({ workflows: `  - {name: main, summary: x, steps: [${ids}]}` }).replace(
      /steps:\n(.*\n)*workflows/,
      `steps:\n${steps.join('\n')}\nworkflows`,
    );
    await expectPiecesAtMost(1500, async () => {
      const job = await soundJob(yml);
      expect(job.workflows[0]?.entries).toHaveLength(800);
    });
  });
});

describe('the job directory', () => {
  it('must contain a job.yml that is a file, not a folder', async () => {
    const dir = join(tempFolder(), 'demo');
    mkdirSync(join(dir, 'job.yml'), { recursive: true });
    writeFiles(dir, { 'a.md': 'x' });
    expect(await loadJob(dir)).toMatchObject({
      problems: ['Failed to load job.yml: it is not a regular file (line 1, column 1)'],
    });
  });

  it('hashes the bytes, not the text', async () => {
    const dir = writeJob(tempFolder(), 'demo', `\ufeff${jobYml()}`);
    const loaded = await loadJob(dir);
    const hash = createHash('sha256')
      .update(readFileSync(join(dir, 'job.yml')))
      .digest('hex');
    expect(loaded).toMatchObject({ kind: 'job', job: { hash, dir } });
  });
});
