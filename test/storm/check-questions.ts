// Questions to a person: asked once however often the call is repeated, answered once, and the
// agent gets what the person said.

import type { Epoch } from './epochs.ts';
import type { Violation } from './violation.ts';

export function checkQuestions({ history, final }: Epoch): Violation[] {
  const violations: Violation[] = [];
  const asked = new Map<string, string[]>();
  const imported = new Map<string, string>();
  const answered = new Map<string, string[]>();
  for (const { type, data } of final.team) {
    // After an import of a state file, its questions are numbered from one.
    if (type === 'imported') {
      for (const [index, { question }] of data.questions.entries()) {
        imported.set(question, `q-${index + 1}`);
      }
    }
    if (type === 'asked') {
      for (const [index, { question }] of data.questions.entries()) {
        asked.set(question, [...(asked.get(question) ?? []), data.ids[index]]);
      }
    }
    if (type === 'answered') {
      answered.set(data.id, [...(answered.get(data.id) ?? []), data.choices.join()]);
    }
  }
  for (const call of history.calls) {
    if (call.answer === null || call.answer.isError) continue;
    const report = (what: string, trace: string) =>
      violations.push({ what, calls: [call], trace: [trace] });
    if (call.tool === 'answer_question') {
      const { id, choice } = call.args as { id: string; choice: string };
      if (answered.get(id)?.join() !== choice) report(`The answer to ${id} is lost`, id);
    }
    if (call.tool !== 'ask_user_question') continue;
    const [{ question }] = call.args.questions as [{ question: string }];
    const ids = asked.get(question) ?? [];
    const before = imported.get(question);
    // A state file does not say who asked, so the same agent may ask once more.
    const isOnce = ids.length === 1 || (ids.length === 0 && before !== undefined);
    if (!isOnce) report(`'${question}' was asked ${ids.length} times`, question);
    const reply = /^Human response: Selected: (.*?) \((q-\d+), /m.exec(call.answer.text);
    if (reply === null) continue;
    const [, choice, id = ''] = reply;
    if (![...ids, before].includes(id) || answered.get(id)?.join() !== choice) {
      report(`'${question}' got '${choice}', and the person said ${answered.get(id)}`, question);
    }
  }
  for (const [id, choices] of answered) {
    if (choices.length === 1) continue;
    violations.push({ what: `${id} was answered twice`, calls: [], trace: [id] });
  }
  return violations;
}
