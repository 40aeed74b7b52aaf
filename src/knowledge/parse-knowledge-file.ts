// Parses the file of a skill or a snippet: its name and description are in its front matter.

import { frontMatterText, readFrontMatter } from '../definitions/source/front-matter.ts';
import { type ContainedFile, readContained } from '../files/read-contained.ts';
import type { FoundFile } from '../files/walk-files.ts';

export interface KnowledgeFile {
  /** Relative to its root, with slashes. */
  readonly path: string;
  readonly name: string | null;
  readonly description: string | null;
  /** The whole current file; null if it is gone. */
  content(): Promise<string | null>;
}

export const MAX_KNOWLEDGE_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 4096;

export async function parseKnowledgeFile(
  { path, absolute }: FoundFile,
  found: ContainedFile,
  realRoot: string,
): Promise<KnowledgeFile | null> {
  const text = textOfFile(found);
  if (text === null) return null;
  const front = await readFrontMatter(text);
  const map = front.kind === 'map' ? front.map : null;
  const description = map === null ? null : frontMatterText(map, 'description');
  return {
    path,
    name: map === null ? null : frontMatterText(map, 'name'),
    description: description === null ? null : description.slice(0, MAX_DESCRIPTION_LENGTH),
    content: async () => textOfFile(readContained(realRoot, absolute, MAX_KNOWLEDGE_BYTES)),
  };
}

/** Bytes that are not UTF-8 are replaced; a file with a NUL byte is not text. */
function textOfFile(found: ContainedFile): string | null {
  return found.kind === 'read' && !found.bytes.includes(0) ? found.bytes.toString('utf8') : null;
}
