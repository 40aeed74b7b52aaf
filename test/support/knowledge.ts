// Real project folders for tests, removed with the test.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Knowledge, openKnowledge } from '../../src/knowledge/knowledge.ts';
import { tempFolder } from './temp-folder.ts';

export interface TempProject {
  readonly root: string;
  write(file: string, content: string | Uint8Array): string;
}

export function tempProject(files: Readonly<Record<string, string>> = {}): TempProject {
  const root = tempFolder();
  const write = (file: string, content: string | Uint8Array) => {
    const absolute = join(root, file);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
    return absolute;
  };
  for (const [file, content] of Object.entries(files)) write(file, content);
  return { root, write };
}

export function knowledgeOf({ root }: TempProject): Knowledge {
  const knowledge = openKnowledge(root);
  onTestFinished(knowledge.close);
  return knowledge;
}

/** A skill or snippet with front matter. */
export function page(fields: Readonly<Record<string, string>>, body = 'Do it well.'): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
  return ['---', ...lines, '---', body, ''].join('\n');
}
