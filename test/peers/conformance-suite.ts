// The official conformance suite, run against a server: the results of each scenario of a revision.
// It has only a command line, and writes its results into files.

import { execFile } from 'node:child_process';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { Peers } from './install.ts';

const execute = promisify(execFile);

const PACKAGE = '@modelcontextprotocol/conformance';
const SCENARIO_MS = 15_000;
const RUN_MS = 120_000;

export type Revision = '2025-11-25' | '2026-07-28';

/**
 * Each scenario with the checks that did not simply pass; none means that it passes. A check that
 * should pass but need not is a `warning`, one that did not apply is `skipped`.
 */
export type Findings = Readonly<Record<string, readonly string[]>>;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'INFO' | 'FAILURE' | 'WARNING' | 'SKIPPED';
}

/** Every scenario that the suite has for servers of a revision. */
export function scenariosOf(peers: Peers, revision: Revision): string[] {
  const file = peers.file(`${PACKAGE}/requirements/${revision}.yaml`);
  const { server, not_scored: others } = parse(readFileSync(file, 'utf8')) as {
    server: string[];
    not_scored: { scenario: string; leg: string }[];
  };
  const more = others.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario);
  return [...server, ...more];
}

export async function runSuite(peers: Peers, url: string, revision: Revision): Promise<Findings> {
  const results = mkdtempSync(path.join(os.tmpdir(), 'deepwork-conformance-'));
  const target = ['--url', url, '--requirements', revision, '--output-dir', results];
  try {
    // It exits with 1 if a scenario fails, which the caller evaluates.
    const { code, said } = await execute(
      process.execPath,
      [programOf(peers), 'server', ...target, '--timeout', String(SCENARIO_MS)],
      { cwd: results, timeout: RUN_MS, maxBuffer: 64 * 1024 * 1024 },
    ).then(
      () => ({ code: 0, said: '' }),
      (error) => ({ code: error.code as unknown, said: String(error.stderr ?? error.message) }),
    );
    if (code !== 0 && code !== 1) throw new Error(`The suite broke off (${code}): ${said}`);
    return Object.fromEntries(
      readdirSync(results).map((folder) => [
        folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
        notPassed(path.join(results, folder, 'checks.json')),
      ]),
    );
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/**
 * The suite imports one function that Node 20 does not have, for a command that is not used here. A
 * copy without that import saves installing a newer Node, which is three times as large as the rest.
 */
function programOf(peers: Peers): string {
  const program = peers.file(`${PACKAGE}/dist/index.js`);
  if ('globSync' in fs) return program;
  const copy = peers.file(`${PACKAGE}/dist/index-for-node-20.js`);
  writeFileSync(copy, readFileSync(program, 'utf8').replace(/globSync as \w+,/, ''));
  return copy;
}

function notPassed(file: string): string[] {
  const checks = JSON.parse(readFileSync(file, 'utf8')) as Check[];
  const found = checks
    .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
    .map(({ id, status }) => (status === 'FAILURE' ? id : `${status.toLowerCase()} ${id}`));
  return [...new Set(found)].sort();
}
