import { describe, expect, it } from 'vitest';
import { pointed, problemsOf, soundJob } from '../../../test/support/job-files.ts';
import { verifies } from '../../../test/verifies.ts';

const SHAPE = 'Job definition validation failed: Validation error at';

describe('other dialects', () => {
  const listStyle = `name: demo
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

  it('converts the list style', async () => {
    verifies('JOBS-X.3');
    const job = await soundJob(listStyle);
    expect(job).toMatchObject({
      description: 'The long story.\n',
      commonInfo: 'The long story.\n',
    });
    const [a, b] = job.steps;
    expect(a?.outputs).toEqual([
      {
        name: 'report.md',
        type: 'file',
        description: 'The file report.md',
        required: true,
        rules: null,
        lint: null,
      },
      {
        name: 'data/',
        type: 'files',
        description: 'The files in data/',
        required: true,
        rules: null,
        lint: null,
      },
    ]);
    expect(a?.reviews).toEqual([
      {
        runEach: 'step',
        criteria: [
          { name: 'criterion_1', text: 'Is complete' },
          { name: 'criterion_2', text: 'Names its sources' },
        ],
        guidance: null,
      },
    ]);
    expect(b?.outputs.map(({ name }) => name)).toEqual(['final.md']);
    expect(b?.reviews).toEqual([]);
  });

  it('accepts a list-style file without description, and steps of the current format in it', async () => {
    const mixed = listStyle
      .replace(/description: \|\n.*\n/, '')
      .replace('- {file: final.md}', 'final.md: {type: file, description: d, required: no}');
    const job = await soundJob(mixed);
    expect(job).toMatchObject({ description: null, commonInfo: '' });
    expect(job.steps[1]?.outputs[0]).toMatchObject({ name: 'final.md', required: false });
  });

  it('finds problems of the list style at their positions', async () => {
    const bad = listStyle
      .replace('report.md, {file: data/', 'report.md, report.md, 7, {flie: data/')
      .replace('Is complete, Names', '"", Names');
    expect(
      (await pointed(bad)).map(([message, text]) => [message.replace(SHAPE, ''), text.slice(0, 9)]),
    ).toEqual([
      [" steps -> 0 -> outputs -> 1: duplicate output 'report.md'", 'report.md'],
      [
        " steps -> 0 -> outputs -> 2: expected text, found the number '7'; put it in quotes",
        '7, {flie:',
      ],
      [" steps -> 0 -> outputs -> 3: unknown key 'flie'; did you mean 'file'?", 'flie: dat'],
      [' steps -> 0 -> quality_criteria -> 0: expected text, found an empty text', '"", Names'],
    ]);
    const colour = listStyle.replace('summary: Older', 'summary: Older\ncolour: red');
    expect(await problemsOf(colour)).toEqual([expect.stringContaining("unknown key 'colour'")]);
  });
});
