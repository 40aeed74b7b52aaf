// Replaces the SDK's own shims in our build. The SDK would load a JSON Schema validator at
// every start, to check clients' answers to forms. Here the question ledger checks all
// answers, and the validator is never used; without it the bundle is a fifth smaller.

import process from 'node:process';

export { process };

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This build of deepwork contains no JSON Schema validator for the SDK');
  }
}
