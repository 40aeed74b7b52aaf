// Runs all checks at once, each with its own timeout. A check that throws or times out is a result
// like any other.

import { Refused } from '../core/refusal.ts';
import {
  type Checker,
  type DoctorCheck,
  type DoctorContext,
  problem,
  type Result,
} from './check.ts';
import { CHECKERS } from './checkers.ts';
import { clientCheckers } from './clients/client-checkers.ts';

/** In the order in which they are shown. */
export async function runChecks(
  context: Omit<DoctorContext, 'signal'>,
): Promise<readonly DoctorCheck[]> {
  const { before, after } = CHECKERS;
  const checkers = [...before, ...clientCheckers(context), ...after];
  return Promise.all(
    checkers.map(async (checker) => ({ name: checker.name, ...(await runOne(checker, context)) })),
  );
}

async function runOne(
  { run, timeoutMs }: Checker,
  context: Omit<DoctorContext, 'signal'>,
): Promise<Result> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(timedOut(timeoutMs)), timeoutMs);
  });
  try {
    const { signal } = ending;
    return await Promise.race([run({ ...context, signal }).catch(failed), late]);
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

function timedOut(timeoutMs: number): Result {
  return problem(
    `timed out after ${timeoutMs / 1000} s`,
    'try again when the machine is less busy; if it happens again, check whether the disk is slow',
  );
}

function failed(error: unknown): Result {
  const { message } = error as Error;
  const next = error instanceof Refused ? error.refusal.next : null;
  return problem(
    `could not be checked: ${message}`,
    next ?? 'run `deepwork doctor` again; if it happens again, report it with this line',
  );
}
