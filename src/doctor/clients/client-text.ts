// Reads clients' files for doctor: JSON with comments and trailing commas, and one table of a TOML
// file.

import { getNodeValue } from 'jsonc-parser';
import { readJsonText } from '../../init/json-nodes.ts';
import { readToml, tableIn } from '../../init/toml-section.ts';

export type ReadResult =
  | { readonly kind: 'read'; readonly value: unknown }
  /** `why` completes a sentence that begins with the file's name. */
  | { readonly kind: 'problem'; readonly why: string };

export function readJsonc(text: string): ReadResult {
  const read = readJsonText(text.replace(/^\ufeff/, ''));
  if (read.kind === 'problem') return read;
  return { kind: 'read', value: read.root === null ? {} : getNodeValue(read.root) };
}

/** An empty object if there is no such table. */
export function readTomlTable(text: string, header: string): ReadResult {
  const read = readToml(text);
  if (read.kind === 'problem') return read;
  return { kind: 'read', value: tableIn(read.root, header.split('.')) ?? {} };
}
