// Whether an answer is what the output schema of its tool declares. Test clients check every answer,
// success and failure alike.

import type { CallToolResult } from '@modelcontextprotocol/client';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, inject } from 'vitest';

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });

/** What a tool answers, and how it fails. */
type Validators = readonly [answer: ValidateFunction, failure: ValidateFunction];
const compiled = new Map<string, Validators | null>();

export function expectListedShape(tool: string, result: CallToolResult): void {
  const { structuredContent, isError } = result;
  const validators = validatorsOf(tool);
  if (validators === null) {
    expect(structuredContent, `${tool} lists no output schema`).toBeUndefined();
    return;
  }
  const fits = validators[isError === true ? 1 : 0];
  fits(structuredContent);
  const faults = (fits.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  expect(faults, `${tool}: ${JSON.stringify(structuredContent)}`).toEqual([]);
}

function validatorsOf(tool: string): Validators | null {
  const known = compiled.get(tool);
  if (known !== undefined) return known;
  const { outputSchema } = inject('listedTools').find(({ name }) => name === tool) ?? {};
  const validators = outputSchema === undefined ? null : compile(outputSchema);
  compiled.set(tool, validators);
  return validators;
}

function compile({ anyOf }: { readonly anyOf: readonly [object, object] }): Validators {
  return [ajv.compile(anyOf[0]), ajv.compile(anyOf[1])];
}
