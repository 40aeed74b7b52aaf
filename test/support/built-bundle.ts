// A bundle of the built program, loaded into the test's own process, once.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const loaded = new Map<string, unknown>();

/** As src/bundles/load-bundle.ts loads it, without its code cache: that one is for whole processes. */
export function builtBundle<Bundle>(name: string): Bundle {
  const before = loaded.get(name);
  if (before !== undefined) return before as Bundle;
  const file = fileURLToPath(new URL(`../../dist/${name}.cjs`, import.meta.url));
  const script = new vm.Script(readFileSync(file, 'latin1'), { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  loaded.set(name, module.exports);
  return module.exports as Bundle;
}
