// Writes a value as JSON, formatted like the file that it goes into. Lists of plain values stay on
// one line, as people write them.

import type { TextForm } from './text-form.ts';

export function renderJson(value: unknown, { eol, unit }: TextForm, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + unit;
  const block = (open: string, members: readonly string[], close: string) =>
    members.length === 0
      ? open + close
      : `${open}${eol}${members.map((each) => inner + each).join(`,${eol}`)}${eol}${indent}${close}`;
  const render = (each: unknown) => renderJson(each, { eol, unit }, inner);
  if (Array.isArray(value)) {
    return value.some((each) => typeof each === 'object')
      ? block('[', value.map(render), ']')
      : renderInline(value);
  }
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${render(each)}`,
  );
  return block('{', members, '}');
}

export function renderInline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(renderInline).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${renderInline(each)}`,
  );
  return `{${members.join(', ')}}`;
}
