// The schemas of this repository, ready to validate a value. Compiled in strict mode, so that a
// misspelt keyword, which an editor would silently ignore, fails here.

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv/dist/ajv.js';
import type { Json } from './json.ts';

export type SchemaName = 'doctor' | 'job' | 'workflow';

export interface Judge {
  /** The schema's errors for a value; empty if it is valid. */
  complaintsAbout(value: Json): string[];
}

export function readSchema(name: SchemaName): Record<string, unknown> {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function compileSchema(name: SchemaName): Judge {
  const ajv = new Ajv({ strict: true, allErrors: true });
  const validate = ajv.compile(readSchema(name));
  return {
    complaintsAbout(value) {
      if (validate(value)) return [];
      return (validate.errors ?? []).map(({ instancePath, message, params }) => {
        const { additionalProperty: key } = params;
        const problem = key === undefined ? message : unknownKey(String(key));
        return `${instancePath || '/'} ${problem ?? 'does not fit'}`;
      });
    },
  };
}

/** The words for a key that a closed object does not have. */
export function unknownKey(key: string): string {
  return `must not have the key '${key}'`;
}
