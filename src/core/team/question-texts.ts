// The answers of `ask_user_question`, exactly as promised: the questions as presented, then
// their outcomes. Only what a person said is called a response.

import type { Question } from './state.ts';

export interface AskedOutcome {
  /** In the order in which they were asked. */
  readonly questions: readonly Question[];
  /** Ids of those that were closed before the client's own answer came. */
  readonly late: readonly string[];
}

export function askedText({ questions, late }: AskedOutcome): string {
  const presented = questions.map(({ question, choices, multiSelect }, index) =>
    [
      `Question ${index + 1}: ${question}`,
      `  Choices: [${choices.join(' ')}]`,
      `  MultiSelect: ${multiSelect}`,
    ].join('\n'),
  );
  return [
    `Presented ${questions.length} question(s) to user:`,
    ...presented,
    [...responses(questions), ...rest(questions), ...tooLate(questions, late)].join('\n'),
  ].join('\n\n');
}

/** Several answers keep the numbers of their questions. */
function responses(questions: readonly Question[]): string[] {
  const lines = questions.flatMap((question, index) => {
    const answer = answerText(question);
    return answer === null ? [] : [questions.length === 1 ? answer : `  ${index + 1}. ${answer}`];
  });
  if (lines.length === 0) return [];
  return questions.length === 1 ? [`Human response: ${lines[0]}`] : ['Human response:', ...lines];
}

function answerText({ id, outcome }: Question): string | null {
  if (outcome.kind !== 'answered') return null;
  const { choices, other, route, at } = outcome;
  const parts = [
    ...(choices.length === 0 ? [] : [`Selected: ${choices.join(', ')}`]),
    ...(other === null ? [] : [`Other: ${other}`]),
  ];
  return `${parts.join(' | ')} (${id}, ${route}, ${at})`;
}

function rest(questions: readonly Question[]): string[] {
  const idsOf = (kind: Question['outcome']['kind']) =>
    questions.filter(({ outcome }) => outcome.kind === kind).map(({ id }) => id);
  const open = idsOf('open');
  const dismissed = idsOf('dismissed');
  return [
    ...(open.length === 0
      ? []
      : [`No human response yet. Still open: ${open.join(', ')}. Ask again to keep waiting.`]),
    ...(dismissed.length === 0 ? [] : [`Dismissed without an answer: ${dismissed.join(', ')}.`]),
  ];
}

function tooLate(questions: readonly Question[], late: readonly string[]): string[] {
  return questions
    .filter(({ id, outcome }) => late.includes(id) && outcome.kind !== 'open')
    .map(({ id, outcome }) => `Already ${outcome.kind}: ${id}`);
}
