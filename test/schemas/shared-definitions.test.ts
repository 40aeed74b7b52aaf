// What both schemas share: rules and conditions mean the same in both formats, and every field has
// a description, because an editor shows nothing else.

import { describe, expect, test } from 'vitest';
import { TEST_FIELDS, type TestType } from '../../src/core/rules/parse-kind.ts';
import { parseCriteria } from '../../src/core/rules.ts';
import { compileSchema, readSchema, type SchemaName } from './compiled-schema.ts';
import { isObject, type Json, type JsonObject, objectsIn } from './json.ts';
import { guideWithCriteria } from './sample-guides.ts';
import { jobWithRules } from './sample-jobs.ts';
import { UNSAYABLE_IN_RULES } from './unsayable.ts';

const NAMES: readonly SchemaName[] = ['job', 'workflow'];
const SHARED = [
  ...['criteria', 'member', 'containsRule', 'regexRule', 'lengthRule', 'schemaRule'],
  ...['allOfRules', 'anyOfRules', 'noneOfRule', 'ruleMessage', 'ruleSuggestion', 'condition'],
];

function definitionsOf(name: SchemaName): JsonObject {
  return readSchema(name).definitions as JsonObject;
}

/** A definition with nothing in it but these criteria. */
function around(name: SchemaName, criteria: Json): Json {
  return name === 'job' ? jobWithRules(criteria) : guideWithCriteria(criteria);
}

test('rules and conditions are defined in the same way in both', () => {
  const [job, workflow] = [definitionsOf('job'), definitionsOf('workflow')];
  for (const name of SHARED) {
    expect(job[name]).toBeDefined();
    expect([name, job[name]]).toEqual([name, workflow[name]]);
  }
});

test('each type of rule has the fields that the rule engine reads', () => {
  const definitions = definitionsOf('workflow');
  for (const type of Object.keys(TEST_FIELDS) as TestType[]) {
    const rule = definitions[`${type}Rule`] as JsonObject;
    const expected = ['type', 'message', 'suggestion', 'condition', ...TEST_FIELDS[type]];
    expect(Object.keys(rule.properties as JsonObject).sort()).toEqual(expected.sort());
  }
});

describe.each(NAMES)('%s.schema.json', (name) => {
  const judge = compileSchema(name);

  test('names its draft, and refers to nothing that has to be fetched', () => {
    const { $schema, $id } = readSchema(name);
    expect($schema).toBe('http://json-schema.org/draft-07/schema#');
    expect($id).toBe(`${name}.schema.json`);
    const references = objectsIn(readSchema(name) as JsonObject)
      .map(({ object }) => object.$ref)
      .filter((reference) => reference !== undefined);
    for (const reference of references) expect(reference).toMatch(/^#\/definitions\/\w+$/);
  });

  test('describes every field and every definition in a sentence', () => {
    const schema = readSchema(name) as JsonObject;
    const mute = objectsIn(schema)
      .filter(({ pointer }) => /\/(properties|definitions)\/[^/]+$/.test(pointer))
      .filter(({ object }) => !isSentence(descriptionOf(object, schema)))
      .map(({ pointer }) => pointer);
    expect(mute).toEqual([]);
  });

  test('defines nothing that it does not use', () => {
    const text = JSON.stringify(readSchema(name));
    const unused = Object.keys(definitionsOf(name)).filter(
      (definition) => !text.includes(`"#/definitions/${definition}"`),
    );
    expect(unused).toEqual([]);
  });

  test.each(UNSAYABLE_IN_RULES)('cannot express $what', async ({ message, example }) => {
    const criteria = example();
    expect(judge.complaintsAbout(around(name, criteria))).toEqual([]);
    const { problems } = await parseCriteria(criteria);
    const others = problems.filter((problem) => !message.test(problem.message));
    expect([problems.length > 0, others]).toEqual([true, []]);
  });

  test('knows the flags of this JavaScript', () => {
    const letters = ['', ...'dgimsuvyxDI \n1'];
    const pairs = letters.flatMap((first) => letters.map((second) => first + second));
    for (const flags of [...pairs, 'dgimsuy', 'dgimsvy', 'gimsuyg', 'usv']) {
      const rule = { type: 'regex', pattern: 'x', flags, message: 'm' };
      const fits = judge.complaintsAbout(around(name, rule)).length === 0;
      expect([flags, fits]).toEqual([flags, areFlags(flags)]);
    }
  });
});

function descriptionOf(object: JsonObject, schema: JsonObject): unknown {
  if (typeof object.$ref !== 'string') return object.description;
  const target = (schema.definitions as JsonObject)[object.$ref.replace('#/definitions/', '')];
  return isObject(target) ? target.description : undefined;
}

function isSentence(text: unknown): boolean {
  return typeof text === 'string' && /^\S.{10,400}[.?!]$/.test(text);
}

function areFlags(flags: string): boolean {
  try {
    new RegExp('', flags);
    return true;
  } catch {
    return false;
  }
}
