// The real file operations, counted, with one of them failing.
//
//   fail        it does nothing and reports an error
//   late        it does its work and reports an error all the same
//   short       a write that gets only some of its bytes to the file, and says so
//   stop        the process dies in front of it: nothing happens any more
//   stop late   the process dies right after it
//   stop short  the process dies in the middle of a write

import { errorCode } from '../../src/files/system-errors.ts';
import { type FileLayer, type OpenFile, realFileLayer } from '../../src/journal/file-layer.ts';

export type Fault = { readonly at: number } & (
  | { readonly kind: 'fail' | 'late'; readonly code: string }
  | { readonly kind: 'short' | 'stop short'; readonly cut: number }
  | { readonly kind: 'stop' | 'stop late' }
);

export interface FaultyLayer extends FileLayer {
  /** Every operation that was asked for, in order. */
  readonly log: string[];
  /** Every write that reached a file completely. */
  readonly written: string[];
  stopped(): boolean;
  /** Really closes what is still open. */
  dispose(): Promise<void>;
}

export function faultyLayer(fault: Fault | null): FaultyLayer {
  const log: string[] = [];
  const written: string[] = [];
  const open = new Set<OpenFile>();
  let stopped = false;

  async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (stopped) throw dead();
    const mine = fault?.at === log.length ? fault : null;
    log.push(name);
    if (mine?.kind === 'fail') throw failed(mine.code);
    if (mine?.kind === 'stop') {
      stopped = true;
      throw dead();
    }
    const result = await work();
    if (mine?.kind === 'late') throw failed(mine.code);
    if (mine?.kind === 'stop late' || mine?.kind === 'stop short') {
      stopped = true;
      throw dead();
    }
    return result;
  }

  function wrap(file: OpenFile): OpenFile {
    open.add(file);
    return {
      facts: () => run('file.facts', () => file.facts()),
      read: (into, position) => run('read', () => file.read(into, position)),
      write: (bytes) => {
        const cut = fault?.at === log.length && 'cut' in fault ? fault.cut : 0;
        const some = bytes.subarray(0, Math.max(0, bytes.length - cut));
        return run('write', async () => {
          const count = await file.write(some);
          if (count === bytes.length) written.push(bytes.toString());
          return count;
        });
      },
      sync: () => run('sync', () => file.sync()),
      close: () =>
        run('close', async () => {
          open.delete(file);
          await file.close();
        }),
    };
  }

  return {
    log,
    written,
    stopped: () => stopped,
    async dispose() {
      for (const file of open) await file.close();
      open.clear();
    },
    open: (path, openFor) =>
      run(`open for ${openFor}`, async () => wrap(await realFileLayer.open(path, openFor))),
    facts: (path) => run('facts', () => realFileLayer.facts(path)),
    makeFolder: (path) => run('makeFolder', () => realFileLayer.makeFolder(path)),
    syncFolder: (path) => run('syncFolder', () => realFileLayer.syncFolder(path)),
    list: (path) => run('list', () => realFileLayer.list(path)),
    names: (path) => run('names', () => realFileLayer.names(path)),
    move: (from, to) => run('move', () => realFileLayer.move(from, to)),
    replace: (from, to) => run('replace', () => realFileLayer.replace(from, to)),
    tighten: (path) => run('tighten', () => realFileLayer.tighten(path)),
    link: (from, to) => run('link', () => realFileLayer.link(from, to)),
    removeName: (path) => run('removeName', () => realFileLayer.removeName(path)),
  };
}

const CHANGES_THE_DISK =
  /^(open for (appending|creating)|makeFolder|write|sync|move|replace|link)$/;

/** Every way in which each of the logged operations can fail. */
export function everyFault(log: readonly string[]): Fault[] {
  return log.flatMap((name, at): Fault[] => {
    const faults: Fault[] = [
      { at, kind: 'fail', code: 'EIO' },
      { at, kind: 'late', code: 'EIO' },
      { at, kind: 'stop' },
      { at, kind: 'stop late' },
    ];
    if (CHANGES_THE_DISK.test(name)) {
      faults.push({ at, kind: 'fail', code: 'ENOSPC' }, { at, kind: 'fail', code: 'EROFS' });
    }
    if (name !== 'write') return faults;
    for (const cut of [1, 2, 80, 10_000]) {
      faults.push({ at, kind: 'short', cut }, { at, kind: 'stop short', cut });
    }
    return faults;
  });
}

export function nameFault(log: readonly string[], fault: Fault): string {
  const how = 'code' in fault ? fault.code : 'cut' in fault ? `${fault.cut} bytes` : '';
  return `operation ${fault.at} (${log[fault.at]}): ${fault.kind} ${how}`.trimEnd();
}

export function isInjected(error: unknown): boolean {
  return ['EIO', 'ENOSPC', 'EROFS', 'EACCES', 'DEAD'].includes(errorCode(error));
}

function failed(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

function dead(): Error {
  return failed('DEAD');
}
