// Whether an answer matches the output schema of its tool. Test clients check every answer, success
// and failure alike.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, inject } from 'vitest';

const ajv = new Ajv2020({ strict: true, strictTypes: false });
const compiled = new Map<string, ValidateFunction | null>();

/** A guide is returned as written, whatever its file contains. */
const OPEN = 'workflow_get';

export function expectListedShape(tool: string, structuredContent: unknown): void {
  const fits = validatorOf(tool);
  if (fits === null) {
    expect(structuredContent, `${tool} lists no output schema`).toBeUndefined();
    return;
  }
  fits(structuredContent);
  expect(fits.errors ?? [], `${tool}: ${JSON.stringify(structuredContent)}`).toEqual([]);
  const { properties = {} } = fits.schema as { properties?: object };
  const declared = [...Object.keys(properties), 'error'];
  const surplus = Object.keys(structuredContent ?? {}).filter((key) => !declared.includes(key));
  if (tool !== OPEN) expect(surplus, `${tool} answers with more than it declares`).toEqual([]);
}

function validatorOf(tool: string): ValidateFunction | null {
  const known = compiled.get(tool);
  if (known !== undefined) return known;
  const listed = inject('listedTools').find(({ name }) => name === tool);
  if (listed === undefined) throw new Error(`No tool ${tool} is listed`);
  const { outputSchema } = listed;
  const validator = outputSchema === undefined ? null : ajv.compile(outputSchema);
  compiled.set(tool, validator);
  return validator;
}
