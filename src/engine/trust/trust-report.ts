// Everything in a project that a person has to agree to, compared with the last agreement.

import {
  guardedValues,
  type ShownSetting,
  shownSettings,
} from '../../environment/settings/guarded-settings.ts';
import type { Scripts } from '../../environment/trust/command-scripts.ts';
import {
  type ChangedFile,
  isSamePlace,
  type TrustedCommand,
  type TrustedEntry,
} from '../../environment/trust/trust.ts';
import type { Workspace } from '../workspace.ts';
import { commandList } from './command-trust.ts';

export interface ShownCommand {
  readonly command: TrustedCommand;
  readonly state: 'trusted' | 'new' | 'changed';
  /** The command that was trusted in its place, if it is another one. */
  readonly was: string | null;
  /** A check whose condition, time limit or workflows have changed since it was trusted. */
  readonly isMoved: boolean;
  /** The files of the project that it runs; null if they are too many or too large to compare. */
  readonly runs:
    | readonly { readonly path: string; readonly change: ChangedFile['what'] | null }[]
    | null;
}

export interface TrustReport {
  /** Another repository was trusted at this path. */
  readonly replaced: boolean;
  readonly commands: readonly ShownCommand[];
  /** Commands that were trusted and are no longer named. */
  readonly removed: readonly TrustedEntry[];
  readonly settings: readonly ShownSetting[];
  /** There is nothing that a person could agree to. */
  readonly isEmpty: boolean;
  /** A person has agreed to exactly this. */
  readonly isTrusted: boolean;
  /** Records that a person has agreed to exactly this. */
  grant(): Promise<void>;
}

export async function trustReport(workspace: Workspace): Promise<TrustReport> {
  const { trust } = workspace;
  const known = trust.known();
  const record = known.kind === 'trusted' ? known.record : null;
  const named = await commandList(workspace);
  const config = await workspace.config();
  const commands: ShownCommand[] = [];
  const seen = new Map<TrustedCommand, Scripts | null>();
  for (const command of named) {
    const trustState = await trust.trustState([command]);
    const scripts = await trust.scriptsOf(command);
    seen.set(command, scripts);
    const files = trustState.kind === 'changed' ? trustState.files : [];
    const changeOf = (path: string) => files.find((file) => file.path === path)?.what ?? null;
    const gone = files.filter(({ what }) => what === 'gone').map(({ path }) => path);
    const there = Object.entries(scripts ?? {}).filter(([, content]) => content !== null);
    const paths = [...new Set([...there.map(([path]) => path), ...gone])];
    const before = record?.commands.find((each) => isSamePlace(each, command));
    const isMoved =
      before !== undefined && JSON.stringify(before.check) !== JSON.stringify(command.check);
    const isSame = trustState.kind === 'trusted' && !isMoved;
    commands.push({
      command,
      state: isSame ? 'trusted' : before === undefined ? 'new' : 'changed',
      isMoved,
      was: before !== undefined && before.run !== command.run ? before.run : null,
      runs: scripts === null ? null : paths.map((path) => ({ path, change: changeOf(path) })),
    });
  }
  const removed = (record?.commands ?? []).filter(
    (entry) => !named.some((command) => isSamePlace(command, entry)),
  );
  const settings = shownSettings(config, record?.settings ?? null);
  return {
    replaced: known.kind === 'replaced',
    commands,
    removed,
    settings,
    isEmpty: record === null && commands.length === 0 && settings.length === 0,
    isTrusted:
      record !== null &&
      commands.every(({ state }) => state === 'trusted') &&
      removed.length === 0 &&
      settings.every(({ was }) => was === null),
    grant: () => trust.grant(named, guardedValues(config), seen),
  };
}
