// Guides for tests: a valid one whose parts can be replaced, the result of parsing a text, and
// folders of real files.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Guide } from '../../src/definitions/guides/guide-model.ts';
import { type GuideLibrary, openGuideLibrary } from '../../src/definitions/guides/library.ts';
import { openGuideText } from '../../src/definitions/guides/parse-guide.ts';
import { problemOf } from '../../src/definitions/reader/issues.ts';

type Json = Readonly<Record<string, unknown>>;

export function step(parts: Json = {}): Json {
  return { id: 'first', title: 'First', prompt: 'Do it.', ...parts };
}

export function workflow(parts: Json = {}): Json {
  return {
    id: 'demo',
    name: 'Demo',
    description: 'A demonstration',
    version: '1.0.0',
    steps: [step()],
    ...parts,
  };
}

/** Text as given, anything else as JSON of several lines. */
export function bytesOf(content: unknown): Buffer {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

export async function soundGuide(content: unknown): Promise<Guide> {
  const parsed = await openGuideText(bytesOf(content), '/folder/demo.json').check();
  if (parsed.kind === 'guide') return parsed.guide;
  throw new Error(JSON.stringify(parsed.problems, null, 2));
}

/** With the problems as callers are told of them, and the steps whose rules are wrong. */
export async function invalidGuide(content: unknown) {
  const parsed = await openGuideText(bytesOf(content), '/folder/demo.json').check();
  if (parsed.kind !== 'invalid') throw new Error('expected problems');
  const criteriaSteps = parsed.criteriaFaults.map(({ step }) => step);
  return { ...parsed, problems: parsed.problems.map(problemOf), criteriaSteps };
}

export function guide(id: string, name = 'Demo'): Json {
  return workflow({ id, name });
}

/** Returns the path. */
export function write(folder: string, name: string, content: unknown): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, bytesOf(content));
  return file;
}

/** Closed when the test is over. */
export function openTestLibrary(folders: readonly string[], watch: boolean): GuideLibrary {
  const library = openGuideLibrary({ folders: () => folders, ...watching(watch) });
  onTestFinished(() => library.close());
  return library;
}

/** Folders are watched however few files they have, or never. */
export function watching(watch: boolean): { watchFrom: number } {
  return { watchFrom: watch ? 0 : Number.POSITIVE_INFINITY };
}

/** The name of the guide that an id means, or why there is none. */
export async function nameOf(library: GuideLibrary, id: string): Promise<string> {
  const found = await library.find(id);
  return found.kind === 'guide' ? found.guide.name : found.kind;
}

/** Long enough for the fingerprint of a fresh file to be conclusive. */
export function untilConclusive(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 150));
}
