// The official conformance suite against the built server over HTTP and, for scenarios that need
// tools, prompts and resources with fixed names, against a fixture behind the same wiring.

import { beforeAll, expect, type TestContext, test } from 'vitest';
import { serveOverHttp } from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { newProject } from '../support/project.ts';
import { type Findings, type Revision, runSuite, scenariosOf } from './conformance-suite.ts';
import { createFixture } from './fixture-server.ts';
import { installPeers, type Peers } from './install.ts';
import { type Gap, KNOWN_GAPS, type Tested } from './known-gaps.ts';

const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const TESTED: readonly Tested[] = ['deepwork', 'the fixture'];

let installed: Peers | string;
beforeAll(async () => {
  installed = await installPeers('conformance');
}, 660_000);

/** Without a network there is no suite to run; in CI that is a failure. */
function peersOrSkip({ skip }: TestContext): Peers {
  if (typeof installed !== 'string') return installed;
  if (process.env.CI) throw new Error(installed);
  return skip(installed);
}

type Outcome = 'passes' | 'does not pass' | readonly string[];

function expected(scenarios: readonly string[], gaps: readonly Gap[]): Record<string, Outcome> {
  const outcomes: Record<string, Outcome> = {};
  for (const scenario of scenarios) outcomes[scenario] = 'passes';
  for (const gap of gaps) {
    for (const scenario of gap.scenarios ?? []) outcomes[scenario] = 'does not pass';
    Object.assign(outcomes, gap.checks);
  }
  return outcomes;
}

function found(findings: Findings, gaps: readonly Gap[]): Record<string, Outcome> {
  const whole = new Set(gaps.flatMap(({ scenarios }) => scenarios ?? []));
  return Object.fromEntries(
    Object.entries(findings).map(([scenario, checks]) => [
      scenario,
      checks.length === 0 ? 'passes' : whole.has(scenario) ? 'does not pass' : checks,
    ]),
  );
}

async function serve(tested: Tested): Promise<string> {
  const { url } =
    tested === 'deepwork'
      ? await serveOverHttp(newProject().root)
      : await serveInProcess({ createServer: createFixture });
  return `${url}/mcp`;
}

// In places the suite allows half a second for an answer, which a busy machine may miss once.
const ROOM = { timeout: 150_000, retry: 1 };

for (const tested of TESTED) {
  test.for(REVISIONS)(`${tested} conforms to %s`, ROOM, async (revision, context) => {
    const peers = peersOrSkip(context);
    const gaps = KNOWN_GAPS[tested][revision];
    const findings = await runSuite(peers, await serve(tested), revision);
    expect(found(findings, gaps)).toEqual(expected(scenariosOf(peers, revision), gaps));
  });
}
