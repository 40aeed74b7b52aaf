// What looks odd about the fields of a guide, for lint: a missing version, and fields that deepwork does
// not know. The guide can be followed all the same, so nothing of this is looked for when it is loaded.

import { shorten } from '../../core/conditions-problems.ts';
import { isRecord } from '../../core/is-record.ts';
import type { Path } from '../../core/issue.ts';
import { limitedHints } from '../../core/nearest.ts';
import { type IssueLog, openIssueLog } from '../reader/issues.ts';
import { unsupportedIn } from './guide-fields.ts';
import { DEFAULT_VERSION, WORKFLOW_FIELDS } from './parse-guide.ts';
import { STEP_FIELDS } from './parse-step.ts';

const MAX_WARNINGS = 50;

/** They mean nothing, wherever they stand: an editor's schema, and a mark of older libraries. */
const WITHOUT_MEANING = ['$schema', 'hasValidation'];

/** `written`: the JSON of the file, valid or not. */
export function oddFieldsOf(written: unknown): IssueLog {
  const log = openIssueLog({ maxIssues: MAX_WARNINGS });
  if (!isRecord(written)) return log;
  const hints = limitedHints();
  const report = (object: object, known: readonly string[], path: Path) => {
    for (const [key, value] of Object.entries(object)) {
      if (known.includes(key) || WITHOUT_MEANING.includes(key)) continue;
      // That is a problem, not only odd.
      if (unsupportedIn(key, value) !== null) continue;
      const message = `Unknown field: ${shorten(key)}${hints.didYouMean(key, known)}`;
      log.add('no_effect', [...path, key], message, 'key');
    }
  };
  if (written.version === undefined) {
    log.add('no_version', [], `No "version"; it counts as ${DEFAULT_VERSION}`);
  }
  report(written, WORKFLOW_FIELDS, []);
  const steps = Array.isArray(written.steps) ? written.steps : [];
  for (const [index, step] of steps.entries()) {
    if (isRecord(step)) report(step, STEP_FIELDS, ['steps', index]);
  }
  return log;
}
