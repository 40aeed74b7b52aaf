// The licences of what the bundles contain, for the package: their texts, by package. Made from the
// bundlers' lists of what they read, so that nothing is forgotten and nothing listed that is not there.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Permissive ones that ask only for their text to be passed on, and one that does not even ask for that. */
const KNOWN = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'Unlicense'];

/** Throws if a package has another licence, or no text of it. */
export function licencesOf(/** @type {Iterable<string>} */ files) {
  const folders = new Set([...files].flatMap((file) => packageOf(file) ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(path.join(folder, 'package.json'), 'utf8'),
    );
    if (!KNOWN.includes(license)) {
      throw new Error(
        `${name} has the licence '${license}'. Read it, and add it to scripts/licences.mjs, or do without the package.`,
      );
    }
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined && license !== 'Unlicense') {
      throw new Error(`${name} (${license}) comes without its licence text`);
    }
    const text =
      file === undefined
        ? 'In the public domain: https://unlicense.org'
        : readFileSync(path.join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.sort().join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of the package that a file belongs to; null for our own. */
function packageOf(/** @type {string} */ file) {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
  return folder ?? null;
}
