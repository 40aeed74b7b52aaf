// The suites of jobs, guides and team once more, with the journal in PostgreSQL: every server that
// they start finds a database in its environment, and every project is a workspace of its own
// there. By default that is a part that meets every tool; DEEPWORK_TEST_STORE=postgres runs all of
// them but those that are about files.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IS_ALL = process.env.DEEPWORK_TEST_STORE === 'postgres';

const CHOSEN = [
  'test/requirements/start-workflow.test.ts',
  'test/requirements/finished-step.test.ts',
  'test/requirements/go-to-step.test.ts',
  'test/requirements/abort-workflow.test.ts',
  'test/requirements/get-active-workflow.test.ts',
  'test/requirements/session-stack.test.ts',
  'test/guides/next.test.ts',
  'test/team/state.test.ts',
];

/**
 * Suites that look into the files of the journal, spoil them, are about this user's key, or hold
 * a view back that a server writes for others, which it does not do on a shared journal.
 */
const ABOUT_FILES =
  /\.deepwork\/journal|journal\/(?:session|team)|\blogged\(|JournalIn|\bLOG\b|signing\.key|\.jsonl|hold-view/;

interface Outcome {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function allSuites(): string[] {
  return ['test/requirements', 'test/guides', 'test/team'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`)
      .filter((file) => !ABOUT_FILES.test(readFileSync(path.join(ROOT, file), 'utf8'))),
  );
}

function runSuites(files: readonly string[], url: string): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', ...files],
    {
      cwd: ROOT,
      env: { ...process.env, DEEPWORK_DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    let out = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.on('close', () => {
      const json = out.slice(out.indexOf('{"numTotalTestSuites"'));
      try {
        resolve(JSON.parse(json));
      } catch {
        reject(new Error(`The suites did not run: ${out}${said}`));
      }
    });
  });
}

test(
  'the suites of jobs, guides and team pass with the journal in PostgreSQL',
  async () => {
    verifies('STORE-2');
    const url = await freshDatabase();
    const outcome = await runSuites(IS_ALL ? allSuites() : CHOSEN, url);
    const failed = outcome.testResults.flatMap(({ name, message, assertionResults }) => [
      ...(assertionResults.length === 0 ? [`${path.relative(ROOT, name)}: ${message}`] : []),
      ...assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          (each) =>
            `${path.relative(ROOT, name)} > ${each.fullName}: ${each.failureMessages[0]?.slice(0, 300)}`,
        ),
    ]);
    expect(failed.join('\n\n')).toBe('');
    expect(outcome.numPassedTests).toBeGreaterThan(50);
    // They really were there.
    const sql = postgres(url, { max: 1 });
    const [row] = await sql`select count(distinct workspace) as workspaces from deepwork.event`;
    await sql.end();
    expect(Number(row?.workspaces)).toBeGreaterThan(20);
  },
  IS_ALL ? 900_000 : 180_000,
);
