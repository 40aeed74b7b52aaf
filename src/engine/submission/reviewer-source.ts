// Says where the reviewer of a workspace is configured: people who read that it failed need to
// know what to change.

import { shown } from '../../core/wording.ts';
import { findProgram } from '../../environment/process/program.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import { adapterFor } from '../../gate/review/adapters/table.ts';
import type { Workspace } from '../workspace.ts';

export async function describeReviewerSource(
  workspace: Workspace,
  { reviewer }: Settings,
): Promise<string> {
  const { paths, config } = workspace;
  switch (reviewer.kind) {
    case 'runner': {
      const { name, argv } = adapterFor(reviewer);
      const [program = ''] = argv('') ?? [];
      const found = findProgram(program, paths.root);
      const at = found === null ? `no ${program} was found on PATH` : `${found}, found on PATH`;
      return `The reviewer is the ${name} (${at}), chosen by the option --external-runner ${reviewer.runner} (externalRunner).`;
    }
    case 'command': {
      const command = `The reviewer is '${shown(reviewer.command)}'`;
      if (reviewer.from === 'option') {
        return `${command}, given by the option --quality-gate (agentReviewCommand).`;
      }
      const { agentReviewCommand } = await config();
      return agentReviewCommand === reviewer.command
        ? `${command}, named by quality_gate.agent_review_command in ${paths.config}.`
        : `${command}, which ${paths.config} named when the project was trusted (quality_gate.agent_review_command); deepwork trust --path ${paths.root} shows what it names now.`;
    }
    default:
      return '';
  }
}
