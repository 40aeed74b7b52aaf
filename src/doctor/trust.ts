// What a person has not agreed to yet: commands that do not run, and settings that do not apply,
// until they are trusted.

import { counted } from '../core/wording.ts';
import { trustReport } from '../engine/trust/trust-report.ts';
import { openWorkspace } from '../engine/workspace.ts';
import { type Checker, ok, warning } from './check.ts';

export const trust: Checker = {
  name: 'trust',
  timeoutMs: 20_000,
  async run({ root, env, bundled }) {
    const workspace = openWorkspace({
      projectRoot: root,
      ...bundled,
      // Trust given for one run only is not shown here.
      env: { ...env, DEEPWORK_TRUST: '' },
      onProblem: () => {},
    });
    // Not stopped: that would end programs that other checks have started for this project.
    const report = await trustReport(workspace);
    if (report.isEmpty) return ok('this project names no commands');
    if (report.isTrusted) return ok(`${counted(report.commands.length, 'command')} trusted`);
    const waiting = [
      counted(report.commands.filter(({ state }) => state !== 'trusted').length, 'command'),
      counted(report.removed.length, 'removal'),
      counted(report.settings.filter(({ waits }) => waits !== null).length, 'setting'),
    ].filter((each) => !each.startsWith('0 '));
    return warning(
      `${waiting.join(', ') || 'another project at this path'}: not agreed to yet`,
      'look at it and agree: deepwork trust',
    );
  },
};
