// Takes the place of the SDK's own shims in our build. The SDK would load a JSON Schema
// validator at every start, to judge what clients answer to forms. Here the
// question ledger judges that, by every way alike, and the validator is never asked;
// without it a start is lighter by a fifth of the bundle.

import process from 'node:process';

export { process };

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This build of deepwork brings no JSON Schema validator for the SDK');
  }
}
