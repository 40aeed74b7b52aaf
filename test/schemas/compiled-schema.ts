// The schemas of this repository, ready to validate a value. Compiled in strict mode, so that a
// misspelt keyword, which an editor would silently ignore, fails here.

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv/dist/ajv.js';

export type SchemaName = 'doctor' | 'job' | 'workflow';

export interface Judge {
  /** The schema's errors for a value; empty if it is valid. */
  complaintsAbout(value: unknown): string[];
}

export function compileSchema(name: SchemaName): Judge {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  const ajv = new Ajv({ strict: true, allErrors: true });
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
  return {
    complaintsAbout(value) {
      if (validate(value)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'does not fit'}`,
      );
    },
  };
}
