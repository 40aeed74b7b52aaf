// Whether a person has agreed to what a project does: the commands it names, with the files
// they run, and the settings that lower protection. Agreement is bound to the repository that
// was shown: another one at the same path starts without trust.

import path from 'node:path';
import { realPathOf } from '../../files/real-path.ts';
import { identifyRepository, isSameRepository } from '../git/repository-identity.ts';
import { homeOf } from '../home.ts';
import type { TrustedSettings } from '../settings/guarded-settings.ts';
import { openScriptReader, type Scripts } from './command-scripts.ts';
import {
  openRecordFile,
  type TrustedCommand,
  type TrustedEntry,
  type TrustRecord,
} from './trust-record.ts';

export type { CheckOf, TrustedCommand, TrustedEntry } from './trust-record.ts';

/** The trust in a project. */
export type Known =
  /** By an earlier agreement: see `record`. */
  | { readonly kind: 'trusted'; readonly record: TrustRecord }
  /** The person who started the server trusts everything, for this run. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  /**
   * Another repository was trusted at this path. Its trust does not carry over, but its
   * stricter settings stay: an agent could fake another repository by editing `.git`.
   */
  | { readonly kind: 'replaced'; readonly record: TrustRecord };

export interface ChangedFile {
  readonly path: string;
  readonly what: 'changed' | 'new' | 'gone';
}

/** How a command compares with what a person agreed to. */
export type TrustState =
  | { readonly kind: 'trusted' }
  /** No person has trusted anything here; `replaced`: only another repository at this path. */
  | { readonly kind: 'unknown'; readonly replaced: boolean }
  /** It is not among the trusted commands. */
  | { readonly kind: 'new'; readonly command: TrustedCommand }
  /** It is, but its files have changed. */
  | {
      readonly kind: 'changed';
      readonly command: TrustedCommand;
      readonly files: readonly ChangedFile[];
    }
  | { readonly kind: 'unbounded'; readonly command: TrustedCommand };

/** Where a command runs, which decides whose files it runs. */
export type RunsIn = 'project' | 'work';

export interface Trust {
  known(): Known;
  /**
   * The first command that may not run, or `trusted`. Reads files, so ask before each run. A
   * command that runs in `work` runs the files there: those of the worktree, not the project's.
   */
  trustState(commands: readonly TrustedCommand[], where?: RunsIn): Promise<TrustState>;
  /** The files a command runs, to be shown. */
  scriptsOf(command: TrustedCommand): Promise<Scripts | null>;
  /**
   * Replaces everything agreed to so far. With `seen`, the files count as they were when they
   * were shown, not as they are when the person answers.
   */
  grant(
    commands: readonly TrustedCommand[],
    settings: TrustedSettings,
    seen?: ReadonlyMap<TrustedCommand, Scripts | null>,
  ): Promise<void>;
  revoke(): Promise<boolean>;
}

/** Where the user of this environment keeps what was agreed to. */
export function trustFolder(env: NodeJS.ProcessEnv): string {
  return path.join(homeOf(env), '.deepwork', 'trust.d');
}

export function openTrust(
  root: string,
  /** For automation: trusts everything for this run. */
  everything: boolean,
  folder: string,
  /** Where the work is done, if that is a worktree of the project. */
  work = root,
): Trust {
  const project = realPathOf(root);
  const file = openRecordFile(folder, project);
  const reader = openScriptReader(project);
  const worktree = realPathOf(work);
  const readers = {
    project: reader,
    work: worktree === project ? reader : openScriptReader(worktree),
  };

  function known(): Known {
    if (everything) return { kind: 'everything' };
    const record = file.read();
    if (record === null) return { kind: 'nothing' };
    if (!isSameRepository(record.repository, identifyRepository(project))) {
      return { kind: 'replaced', record };
    }
    return { kind: 'trusted', record };
  }

  async function trustStateOf(
    command: TrustedCommand,
    { commands }: TrustRecord,
    where: RunsIn,
  ): Promise<TrustState> {
    const entry = commands.find((each) => isSameCommand(each, command));
    if (entry === undefined) return { kind: 'new', command };
    const named = await readers[where].scriptsOf(command.run);
    const before = await readers[where].contentsOf(Object.keys(entry.scripts));
    if (named === null || before === null) return { kind: 'unbounded', command };
    const files = changesIn(entry.scripts, { ...named, ...before });
    return files.length === 0 ? { kind: 'trusted' } : { kind: 'changed', command, files };
  }

  return {
    known,

    async trustState(commands, where = 'project') {
      const now = known();
      if (now.kind === 'everything' || commands.length === 0) return { kind: 'trusted' };
      if (now.kind !== 'trusted') return { kind: 'unknown', replaced: now.kind === 'replaced' };
      for (const command of commands) {
        const trustState = await trustStateOf(command, now.record, where);
        if (trustState.kind !== 'trusted') return trustState;
      }
      return { kind: 'trusted' };
    },

    scriptsOf: ({ run }) => reader.scriptsOf(run),

    async grant(commands, settings, seen) {
      const entries: TrustedEntry[] = [];
      for (const each of commands) {
        const { check, ...command } = each;
        const scripts = seen?.has(each) ? seen.get(each) : await reader.scriptsOf(each.run);
        entries.push({
          ...command,
          file: realPathOf(command.file),
          ...(check !== undefined && { check }),
          scripts: scripts ?? {},
        });
      }
      await file.write({
        project,
        repository: identifyRepository(project),
        commands: entries,
        settings,
      });
    },

    revoke: () => file.remove(),
  };
}

/** A project reached by another path is the same project. */
function isSameCommand(one: TrustedCommand, other: TrustedCommand): boolean {
  return isSamePlace(one, other) && one.run === other.run;
}

/** At the same place of the same file, whatever it runs. */
export function isSamePlace(one: TrustedCommand, other: TrustedCommand): boolean {
  return one.name === other.name && realPathOf(one.file) === realPathOf(other.file);
}

function changesIn(trusted: Scripts, now: Scripts): ChangedFile[] {
  const paths = [...new Set([...Object.keys(trusted), ...Object.keys(now)])];
  return paths.flatMap((each): ChangedFile[] => {
    const was = trusted[each] ?? null;
    const is = now[each] ?? null;
    if (was === is) return [];
    return [{ path: each, what: was === null ? 'new' : is === null ? 'gone' : 'changed' }];
  });
}
