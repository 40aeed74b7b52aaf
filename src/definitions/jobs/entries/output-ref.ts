// Reads a reference to an output, written `step.output`.

import type { Path } from '../../../core/issue.ts';
import type { OutputRef } from '../../../core/workflow.ts';
import { emptyText, type Read, text } from '../../reader/fields.ts';
import { quote } from '../../wording.ts';
import type { ParsedRef } from './parsed-entry.ts';

const REFERENCE = /^([a-z][a-z0-9_]*)\.(.+)$/s;

export const readRef: Read<ParsedRef> = (node, path, to) => {
  const written = text(node, path, to);
  const found = REFERENCE.exec(written.value);
  if (found === null && written.value !== '') {
    const named = quote(written.value, 60);
    to.add('wrong_value', path, `${named} is not an output: write step.output`);
  }
  return { written, step: found?.[1] ?? '', output: found?.[2] ?? '' };
};

export function noRef(path: Path): ParsedRef {
  return { written: emptyText(path), step: '', output: '' };
}

export function makeRef({ step, output }: ParsedRef): OutputRef {
  return { step, output };
}
