// Reads what a person types at a question: numbers of choices, a choice by its text, free
// text, or numbers and text separated by a bar.

import type { Asked, GivenAnswer } from '../../core/team/state.ts';

export type Typed =
  | { readonly kind: 'answer'; readonly given: GivenAnswer }
  | { readonly kind: 'later' }
  | { readonly kind: 'dismiss' }
  | { readonly kind: 'unclear'; readonly problem: string };

const NUMBERS = /^[\d\s,]*$/;

export function readTyped(line: string, { choices, multiSelect }: Asked): Typed {
  const options = [...new Set(choices)];
  const text = line.trim();
  const named = namedChoice(choices, text);
  if (text === '') return { kind: 'later' };
  if (named !== null) return answer([named], null);
  if (text === 'd') return { kind: 'dismiss' };
  const [before = '', ...after] = text.split('|');
  // A bar is part of the text unless only numbers precede it.
  const hasBar = after.length > 0 && NUMBERS.test(before);
  const picked = hasBar ? before : NUMBERS.test(text) ? text : '';
  const own = hasBar ? after.join('|').trim() : picked === '' ? text : '';
  const chosen = picked.split(/[\s,]+/).filter((each) => each !== '');
  const wrong = chosen.find((each) => options[Number(each) - 1] === undefined);
  if (wrong !== undefined) {
    return unclear(`There is no ${wrong}. To answer with that number as text, write: | ${wrong}`);
  }
  const found = [...new Set(chosen.map((each) => options[Number(each) - 1] as string))];
  if (found.length > 1 && !multiSelect) return unclear('Only one choice is allowed.');
  if (found.length === 0 && own === '') return unclear('Write something after the bar.');
  return answer(found, own === '' ? null : own);
}

/** The choice with this text, or else the only one that differs from it in nothing but case. */
export function namedChoice(choices: readonly string[], text: string): string | null {
  if (choices.includes(text)) return text;
  const key = (each: string) => each.trim().toLowerCase();
  const [named, ...others] = new Set(choices.filter((choice) => key(choice) === key(text)));
  return named === undefined || others.length > 0 ? null : named;
}

function answer(choices: readonly string[], other: string | null): Typed {
  return { kind: 'answer', given: { choices, other } };
}

function unclear(problem: string): Typed {
  return { kind: 'unclear', problem };
}
