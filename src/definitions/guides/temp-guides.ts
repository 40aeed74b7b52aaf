// Guides for tests: a sound one whose parts can be replaced, and what comes of a text.
// Imported by tests only.

import type { Guide, InvalidGuide } from './guide-model.ts';
import { parseGuide } from './parse-guide.ts';

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
  const parsed = await parseGuide(bytesOf(content), '/folder/demo.json');
  if (parsed.kind === 'guide') return parsed.guide;
  throw new Error(JSON.stringify(parsed.problems, null, 2));
}

export async function invalidGuide(content: unknown): Promise<InvalidGuide> {
  const parsed = await parseGuide(bytesOf(content), '/folder/demo.json');
  if (parsed.kind === 'invalid') return parsed;
  throw new Error('expected problems');
}

/** Path and message of each problem, in a line. */
export async function problemsOf(content: unknown): Promise<string[]> {
  const { problems } = await invalidGuide(content);
  return problems.map(({ path, message }) => `${path}: ${message}`);
}
