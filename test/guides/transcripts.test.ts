// The conversations that are promised word for word, as in `transcripts/`: each request is sent as
// one raw line to a server in an empty project, and as a tool call.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newProject } from '../support/project.ts';
import { openWire } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { EVERY_WAY, type Outcome, openGuides, type Params } from './ways.ts';

interface Transcript {
  readonly name: string;
  readonly about: string;
  /** False: members and items may be added to the response. */
  readonly exact: boolean;
  readonly request: { readonly id: string; readonly method: string; readonly params: Params };
  readonly response: Outcome;
}

const folder = new URL('./transcripts/', import.meta.url);
const TRANSCRIPTS = readdirSync(folder).map(
  (file): Transcript => ({
    name: file,
    ...JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
  }),
);

/** The value has all that is expected; lists may have more items. */
function expectWithin(given: unknown, expected: unknown): void {
  if (Array.isArray(expected)) {
    for (const item of expected) {
      expect(given).toContainEqual(
        typeof item === 'object' ? expect.objectContaining(item as object) : item,
      );
    }
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      expectWithin((given as Record<string, unknown>)[key], value);
    }
  } else expect(given).toBe(expected);
}

test('there are eight transcripts', () => {
  expect(TRANSCRIPTS).toHaveLength(8);
});

test('each is answered as a line, word for word', async () => {
  verifies('GUIDE-6');
  const project = newProject();
  const wire = openWire(project.root, undefined, { HOME: project.root });
  for (const { name, exact, request, response } of TRANSCRIPTS) {
    wire.write(`${JSON.stringify(request)}\n`);
    const [reply] = await wire.next(1);
    if (exact) expect(wire.lines().at(-1), name).toBe(JSON.stringify(response));
    else expectWithin(reply, response);
  }
});

test('each has the same outcome over every route', async () => {
  verifies('GUIDE-6', 'GUIDE-1');
  const { ask } = await openGuides(newProject(), {}, EVERY_WAY);
  for (const { name, exact, request, response } of TRANSCRIPTS) {
    const outcome = await ask(request.method, request.params ?? {});
    const { result, error } = response;
    if (exact) expect(outcome, name).toEqual(error === undefined ? { result } : { error });
    else expectWithin(outcome, { result });
  }
});

test('the promised members of list and get have the promised types', async () => {
  verifies('GUIDE-6');
  const { ok } = await openGuides(newProject());
  const { workflows } = await ok('workflow_list');
  expect(workflows.length).toBeGreaterThan(2);
  for (const listed of workflows) {
    expect(Object.keys(listed)).toEqual(['id', 'name', 'description', 'category', 'version']);
    for (const value of Object.values(listed)) expect(value).toEqual(expect.any(String));
    const whole = await ok('workflow_get', { id: listed.id });
    expect(whole).toMatchObject({
      id: listed.id,
      name: listed.name,
      description: expect.any(String),
      preconditions: expect.any(Array),
      clarificationPrompts: expect.any(Array),
      metaGuidance: expect.any(Array),
    });
    for (const step of whole.steps) {
      expect(step).toMatchObject({
        id: expect.any(String),
        title: expect.any(String),
        prompt: expect.any(String),
      });
    }
  }
});
