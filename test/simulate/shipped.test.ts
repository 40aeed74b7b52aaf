// An honest scripted agent completes what is shipped: every template, the example of the README and
// a bundled guide. Their rules are those that people write. No agent cheats its way through a
// template: people begin with it, and `simulate` is how they judge what they made of it.

import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CONFIG_PATH, configText } from '../../src/init/config-template.ts';
import { command } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url));
const QUICKSTART = fileURLToPath(
  new URL('../../examples/quickstart/.deepwork/jobs', import.meta.url),
);

const WORKFLOWS = {
  blank: 'blank/run',
  bug_fix: 'bug_fix/fix',
  release_notes: 'release_notes/write',
  research_report: 'research_report/report',
};

async function completed(root: string, workflow: string, agents = 'honest'): Promise<void> {
  const runs = String(agents.split(',').length);
  const args = ['simulate', workflow, '--runs', runs, '--agent', agents, '--json'];
  const { code, stdout, stderr } = await command(args, { cwd: root });
  const { holes, steps, transcript } = JSON.parse(stdout);
  expect(holes, stderr).toEqual([]);
  expect(steps.missed, transcript.join('\n')).toEqual([]);
  expect(code).toBe(0);
}

test('a workflow is listed here for every template', () => {
  expect(readdirSync(TEMPLATES).sort()).toEqual(Object.keys(WORKFLOWS).sort());
});

test.for(Object.entries(WORKFLOWS))(
  'an honest agent completes the template %s, and one that cheats is stopped',
  async ([name, workflow]) => {
    verifies('LANG-9');
    const root = tempFolder('.deepwork');
    // As `deepwork init` writes it.
    writeFileSync(path.join(root, CONFIG_PATH), configText(false));
    cpSync(path.join(TEMPLATES, name), path.join(root, '.deepwork/jobs', name), {
      recursive: true,
    });
    await completed(root, workflow, 'honest,skipper,liar');
  },
);

test('an honest agent completes the quickstart and a bundled guide', async () => {
  verifies('LANG-9');
  const root = tempFolder('.deepwork');
  cpSync(QUICKSTART, path.join(root, '.deepwork/jobs'), { recursive: true });
  await completed(root, 'release_notes/announce');
  await completed(root, 'ai-task-implementation');
});
