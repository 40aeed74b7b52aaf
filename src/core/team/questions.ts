// The ledger of questions to a person. Only a person answers a question, and nothing expires;
// a question of the gate is dismissed when its arrival is over. The first answer wins; later
// ones are refused and learn who gave it.

import { commit, refused, unchanged } from '../decision.ts';
import { hasInvisible, isBlank, showInvisible } from '../invisible-characters.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { shown } from '../wording.ts';
import { MAX_OPEN, MAX_TEXT_LENGTH } from './question-limits.ts';
import type {
  Asked,
  GivenAnswer,
  Outcome,
  Provenance,
  Question,
  QuestionSet,
  Team,
  TeamDecision,
} from './state.ts';

export interface AskCommand {
  readonly at: string;
  /** The agent's name, recorded as a caller. */
  readonly by: string;
  /** Who may come back for the answer. */
  readonly asker: string;
  readonly questions: readonly Asked[];
}

export interface AskedSet {
  readonly set: number;
  readonly ids: readonly string[];
  /** The same questions were already asked and not yet collected. */
  readonly attached: boolean;
}

export function decideAsk(team: Team, command: AskCommand): TeamDecision<AskedSet> {
  const { at, by, asker, questions } = command;
  if (questions.length === 0) {
    return refused(refuse('no_questions', 'At least one question is required'));
  }
  const bare = questions.findIndex(({ choices }) => choices.length === 0);
  if (bare !== -1) {
    return refused(refuse('no_choices', `Question ${bare + 1} has no choices`));
  }
  const disguised = findDisguised(questions);
  if (disguised !== null) return refused(disguised);
  const asked = findAsked(team, questions);
  if (asked !== null) return unchanged({ set: asked.set, ids: [asked.id], attached: true });
  const before = findSet(team, asker, questions);
  if (before !== undefined) {
    return unchanged({ set: before.id, ids: before.questions, attached: true });
  }
  const open = openOf(team, asker);
  if (open + questions.length > MAX_OPEN) {
    const message = `You have ${open} open questions; with these there would be more than ${MAX_OPEN}`;
    const next = 'wait for the answers (ask the same questions again to do so), or ask fewer.';
    return refused(refuse('too_many_questions', message, next));
  }
  const ids = questions.map((_, index) => `q-${team.questions.size + index + 1}`);
  return commit(
    { type: 'asked', at, data: { by, asker, ids, questions } },
    { set: team.seq + 1, ids, attached: false },
  );
}

/** A person must be able to tell choices apart by looking at them. */
function findDisguised(questions: readonly Asked[]): Refusal | null {
  for (const [index, { choices }] of questions.entries()) {
    const choice = choices.findIndex(hasInvisible);
    if (choice === -1) continue;
    const text = shown(showInvisible(choices[choice] as string));
    return refuse(
      'choice_disguised',
      `Question ${index + 1}: choice ${choice + 1} contains invisible characters: '${text}'`,
      'ask again without them.',
    );
  }
  return null;
}

/** A question with the same `once` mark, whoever asked it; a dismissed one can be asked again. */
function findAsked(team: Team, questions: readonly Asked[]): Question | null {
  const [wanted, ...others] = questions.map(({ about }) => about);
  if (wanted?.once === undefined || others.length > 0) return null;
  for (const question of team.questions.values()) {
    const { about, outcome } = question;
    if (about?.once !== wanted.once || about.session !== wanted.session) continue;
    if (outcome.kind !== 'dismissed') return question;
  }
  return null;
}

function findSet(team: Team, asker: string, questions: readonly Asked[]): QuestionSet | undefined {
  const wanted = questionsKey(questions);
  for (const set of team.sets.values()) {
    if (set.asker !== asker || set.questions.length !== questions.length) continue;
    const asked = set.questions.map((id) => team.questions.get(id) as Question);
    if ([...asked, ...questions].some(({ about }) => about?.once !== undefined)) continue;
    if (questionsKey(asked) === wanted) return set;
  }
  return undefined;
}

function openOf(team: Team, asker: string): number {
  let count = 0;
  for (const id of team.open) {
    const set = team.questions.get(id)?.set;
    if (set !== undefined && team.sets.get(set)?.asker === asker) count++;
  }
  return count;
}

/**
 * A key that is equal for equal questions. `about` is part of it: if an agent asks a question with
 * the same text as the gate, it is a different question, and its answer grants nothing.
 */
export function questionsKey(questions: readonly Asked[]): string {
  return JSON.stringify(
    questions.map(({ question, choices, multiSelect, about }) => [
      question,
      choices,
      multiSelect,
      ...(about === undefined ? [] : [about]),
    ]),
  );
}

export interface AnswerCommand extends GivenAnswer, Provenance {
  readonly id: string;
}

export function decideAnswer(team: Team, command: AnswerCommand): TeamDecision<Question> {
  const { id, by, route, at } = command;
  const question = team.questions.get(id);
  if (question === undefined) return refused(unknownQuestion(team, id));
  if (question.outcome.kind !== 'open') return refused(alreadyClosed(question));
  const { choices, other } = plainAnswer(command);
  const problem = problemWith(question, choices, other);
  if (problem !== null) return refused(problem);
  return commit(
    { type: 'answered', at, data: { id, choices, other, by, route } },
    { ...question, outcome: { kind: 'answered', choices, other, by, route, at } },
  );
}

/** Each choice once, and no blank text. */
function plainAnswer({ choices, other }: GivenAnswer): GivenAnswer {
  return {
    choices: [...new Set(choices)],
    other: other === null || isBlank(other) ? null : other,
  };
}

/** The same answer by the same person and route: repeated because our reply was lost. */
export function isSaidAgain(
  before: Outcome,
  said: GivenAnswer | 'dismiss',
  { by, route }: Omit<Provenance, 'at'>,
): boolean {
  if (before.kind === 'open' || before.by !== by || before.route !== route) return false;
  if (before.kind === 'dismissed' || said === 'dismiss') {
    return before.kind === 'dismissed' && said === 'dismiss';
  }
  const now = plainAnswer(said);
  return (
    now.other === before.other &&
    now.choices.length === before.choices.length &&
    now.choices.every((choice) => before.choices.includes(choice))
  );
}

function problemWith(
  question: Question,
  choices: readonly string[],
  other: string | null,
): Refusal | null {
  const says = (message: string) =>
    refuse(
      'answer_invalid',
      `Question ${question.id}: ${message}`,
      `choose from: ${question.choices.map((choice) => `'${shown(choice)}'`).join(', ')}; or give a text of your own.`,
    );
  const foreign = choices.find((choice) => !question.choices.includes(choice));
  if (foreign !== undefined) return says(`'${shown(foreign)}' is not one of the choices`);
  if (choices.length > 1 && !question.multiSelect) return says('only one choice can be made');
  if (other !== null && other.length > MAX_TEXT_LENGTH) {
    return says(`the text is longer than ${MAX_TEXT_LENGTH} characters`);
  }
  if (choices.length === 0 && other === null) return says('no choice was made and no text given');
  return null;
}

export function decideDismiss(
  team: Team,
  command: Provenance & { readonly id: string },
): TeamDecision<Question> {
  const { id, by, route, at } = command;
  const question = team.questions.get(id);
  if (question === undefined) return refused(unknownQuestion(team, id));
  if (question.outcome.kind !== 'open') return refused(alreadyClosed(question));
  return commit(
    { type: 'dismissed', at, data: { id, by, route } },
    { ...question, outcome: { kind: 'dismissed', by, route, at } },
  );
}

/** Records that a set's outcome was delivered. False while one of its questions is open. */
export function decideCollect(
  team: Team,
  command: { readonly at: string; readonly set: number },
): TeamDecision<boolean> {
  const set = team.sets.get(command.set);
  if (set === undefined || set.questions.some((id) => team.open.has(id))) return unchanged(false);
  return commit({ type: 'collected', at: command.at, data: { set: set.id } }, true);
}

function unknownQuestion(team: Team, id: string): Refusal {
  const open = [...team.open];
  const unknown = `There is no question '${shown(id)}'`;
  return open.length === 0
    ? refuse('question_unknown', `${unknown}, and no question is open`)
    : refuse('question_unknown', unknown, `answer one that is open: ${open.join(', ')}.`);
}

function alreadyClosed({ id, outcome }: Question): Refusal {
  if (outcome.kind === 'open') throw new Error(`Question ${id} is open`);
  const { kind, by, route, at } = outcome;
  const message = `Already ${kind}: ${id} (by ${by}, ${route}, ${at})`;
  return refuse(`question_${kind}`, message, 'nothing; the first answer counts.');
}
