// Front matter: the YAML between a first line `---` and the next such line of a Markdown file.
// Skills, snippets and `GOAL.md` begin with one. It has the same limits as a `job.yml`, because it
// is just as untrusted.

import type { TextPosition } from '../../core/issue.ts';
import { onOneLine, singleSpaced } from '../../core/wording.ts';
import { entryOf, type MapNode, type Node } from './node.ts';
import type { Source } from './source.ts';
import { readYaml } from './yaml.ts';

export type FrontMatter =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'map';
      readonly map: MapNode;
      /** With positions in the whole file. */
      readonly source: Source;
    }
  /** Without a closing line; the first line may be just a horizontal rule. */
  | { readonly kind: 'unclosed'; readonly text: string }
  | { readonly kind: 'broken'; readonly reason: string; readonly at: TextPosition };

const MAX_CHARACTERS = 64 * 1024;
const OPENING = /^\ufeff?---[ \t]*\r?\n/;
const CLOSING = /(?:^|\n)---[ \t]*\r?(?:\n|$)/;

export async function readFrontMatter(content: string): Promise<FrontMatter> {
  const opening = OPENING.exec(content)?.[0].length;
  if (opening === undefined) return { kind: 'none' };
  const rest = content.slice(opening, opening + MAX_CHARACTERS);
  const end = CLOSING.exec(rest)?.index;
  if (end === undefined) return { kind: 'unclosed', text: rest };
  const inside = await readYaml(`${rest.slice(0, end)}\n`);
  const positionOf = (offset: number) => {
    const { line, column } = inside.positionOf(offset);
    // The opening line is line 1 of the file.
    return { line: line + 1, column };
  };
  const { root, faults } = inside;
  const [fault] = faults;
  if (fault !== undefined) {
    return { kind: 'broken', reason: onOneLine(fault.message), at: positionOf(fault.at) };
  }
  if (root === null) return { kind: 'none' };
  if (root.kind === 'map') return { kind: 'map', map: root, source: { root, faults, positionOf } };
  return { kind: 'broken', reason: 'front matter must be a map', at: positionOf(root.at) };
}

/** A text of the front matter on one line; null if it is absent, empty or not a text. */
export function frontMatterText(map: MapNode, key: string): string | null {
  const value: Node | undefined = entryOf(map, key)?.value;
  if (value?.kind !== 'scalar' || value.value === null) return null;
  // Numbers and dates count as written.
  const written = typeof value.value === 'string' ? value.value : value.written;
  return singleSpaced(written) || null;
}
