import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { writeIssue } from '../reader/issues.ts';
import { agentsOfFlow, joinAgents, parseGoal } from './goal.ts';

const goalOf = (front: string) => parseGoal(`---\n${front}\n---\n# Goal\n`);

async function modelsOf(front: string) {
  const goal = await goalOf(front);
  if (goal.kind !== 'goal') throw new Error(JSON.stringify(goal));
  return Object.fromEntries(goal.models);
}

async function reason(front: string) {
  const goal = await goalOf(front);
  if (goal.kind !== 'broken') throw new Error(JSON.stringify(goal));
  return goal.problems.map(writeIssue).join('; ');
}

describe('parseGoal', () => {
  it('does not define a team without flow and models', async () => {
    verifies('TEAM-17');
    for (const text of ['', '# Goal', '---\n---\n', '---\ntitle: x\n---\n', '---\n# flow\n']) {
      expect(await parseGoal(text)).toMatchObject({ kind: 'none' });
    }
  });

  it('accepts flow as text or as the name of a file', async () => {
    verifies('TEAM-17');
    const flow = async (front: string) => {
      const goal = await goalOf(front);
      return goal.kind === 'goal' ? goal.flow : goal;
    };
    expect(await flow('flow: |\n  a -> b')).toEqual({ kind: 'text', text: 'a -> b\n' });
    expect(await flow('flow:')).toEqual({ kind: 'text', text: '' });
    expect(await flow('flow: "@team/flow.dot"')).toEqual({ kind: 'file', file: 'team/flow.dot' });
    expect(await flow('flow: "@"')).toMatchObject({ kind: 'broken' });
    expect(await flow('flow: [a]')).toMatchObject({
      problems: [
        { message: 'flow: expected text in DOT, found a list', at: { line: 2, column: 7 } },
      ],
    });
    expect(await flow('models: {a: m}')).toBeNull();
  });

  it('accepts models as text or lists', async () => {
    verifies('TEAM-17');
    expect(
      await modelsOf(`models:
  one: vendor/m-1
  two: "vendor/m-1(high)"
  three: [m1, "m2 ( low )", m1, 4.10, "m3 ()"]
  four:`),
    ).toEqual({
      one: ['vendor/m-1'],
      two: ['vendor/m-1 (high)'],
      three: ['m1', 'm2 (low)', '4.10', 'm3'],
      four: [],
    });
    expect(await modelsOf('models:')).toEqual({});
  });

  it('reports problems', async () => {
    verifies('TEAM-17');
    expect(await reason('flow: "a')).toMatch(/\(line \d+, column \d+\)$/);
    expect(await reason('models: a')).toBe(
      "models: expected a map of agents, found the text 'a' (line 2, column 9)",
    );
    expect(await reason('models: {a: [[m]]}')).toBe(
      'models.a: expected a model or a list of models, found a list (line 2, column 14)',
    );
    expect(await reason('models: {a: ""}')).toContain('models.a: expected a model');
    expect(await reason('models: {"a:b": m}')).toContain("must not contain '|' or ':'");
    expect(await reason('- flow')).toBe('front matter must be a map (line 2, column 1)');
    expect(await reason('title: x\nflow: [a]\nmodels: a')).toBe(
      [
        "unknown key 'title'; allowed here: flow, models, completionGateScript (line 2, column 1)",
        'flow: expected text in DOT, found a list (line 3, column 7)',
        "models: expected a map of agents, found the text 'a' (line 4, column 9)",
      ].join('; '),
    );
    expect(await parseGoal('---\nflow: a\n')).toMatchObject({
      kind: 'broken',
      problems: [
        { message: "the front matter has no closing line '---'", at: { line: 1, column: 1 } },
      ],
    });
  });

  it('ignores a misspelt key, and reports it', async () => {
    verifies('TEAM-17');
    expect(await goalOf('flwo: a -> b')).toMatchObject({
      kind: 'none',
      problems: [
        { message: "unknown key 'flwo'; did you mean 'flow'?", at: { line: 2, column: 1 } },
      ],
    });
  });
});

describe('agentsOfFlow', () => {
  it('names the agents', () => {
    verifies('TEAM-17');
    expect(agentsOfFlow('b -> a')).toEqual({ kind: 'agents', names: ['b', 'a'] });
    for (const empty of ['', ' \n', 'digraph {}', '// nobody']) {
      expect(agentsOfFlow(empty)).toEqual({ kind: 'agents', names: ['general-purpose'] });
    }
  });

  it('refuses cycles and invalid names', () => {
    verifies('TEAM-17');
    expect(agentsOfFlow('a -> b -> a')).toEqual({
      kind: 'broken',
      reason: 'the flow has a cycle: a -> b -> a',
    });
    expect(agentsOfFlow('"a|b"')).toMatchObject({ kind: 'broken' });
    expect(agentsOfFlow('""')).toEqual({ kind: 'broken', reason: "agent '' is empty" });
    expect(agentsOfFlow('"a\nb"')).toMatchObject({
      reason: "agent 'a\\nb' contains control characters",
    });
  });
});

it('joins the agents of flow and models', () => {
  expect(
    joinAgents(
      ['a', 'b'],
      new Map([
        ['b', ['m']],
        ['c', ['n']],
      ]),
    ),
  ).toEqual([
    { name: 'a', models: [], command: null },
    { name: 'b', models: ['m'], command: null },
    { name: 'c', models: ['n'], command: null },
  ]);
});
