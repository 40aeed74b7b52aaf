// Faulty file systems, for tests that need a real one: a full disk, a folder that no one may write
// to. Only root may mount; a test has to skip where that is not allowed, and say why.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Null if mounting works, else the reason why it does not. */
export function whyNoMounts(): string | null {
  if (process.platform !== 'linux') return 'mounts are tried on Linux only';
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deepwork-mount-'));
  try {
    const trouble = mount(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    if (trouble === null) unmount(folder);
    return trouble;
  } finally {
    rmdirSync(folder);
  }
}

/** A small disk in memory, mounted on a new folder until the test is over. */
export function mountSmallDisk(folder: string, size: string): void {
  mkdirSync(folder, { recursive: true });
  mustMount(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  onTestFinished(() => unmount(folder));
}

/** Makes a folder read-only, for root, too; returns a function that ends it. */
export function mountReadOnly(folder: string): () => void {
  mustMount(['--bind', folder, folder]);
  let mounted = true;
  const end = () => {
    if (mounted) unmount(folder);
    mounted = false;
  };
  onTestFinished(end);
  mustMount(['-o', 'remount,bind,ro', folder]);
  return end;
}

function mount(args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

function mustMount(args: readonly string[]): void {
  const trouble = mount(args);
  if (trouble !== null) throw new Error(`mount ${args.join(' ')}: ${trouble}`);
}

function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}
