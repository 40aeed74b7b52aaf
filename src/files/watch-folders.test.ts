import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempProject } from '../../test/support/knowledge.ts';
import { fileIdentity } from './fingerprint.ts';
import { eventsDelivered, type FolderWatch, openFolderWatch } from './watch-folders.ts';

function watchedFolder(): { folder: string; watch: FolderWatch; cover(): boolean } {
  const folder = join(tempProject({ 'here/file': 'x' }).root, 'here');
  const watch = openFolderWatch();
  if (watch === null) throw new Error('Linux watches');
  onTestFinished(watch.close);
  const cover = () => {
    const identity = fileIdentity(statSync(folder));
    return watch.cover([{ path: folder, identity }]);
  };
  expect(cover()).toBe(true);
  expect(watch.take()).toBeNull();
  expect(watch.take()).toEqual(new Set());
  return { folder, watch, cover };
}

describe.runIf(process.platform === 'linux')('a watch', () => {
  it('reports an edit that was made just before', async () => {
    const { folder, watch } = watchedFolder();
    for (let edit = 0; edit < 50; edit++) {
      writeFileSync(join(folder, 'file'), `${edit}`);
      await eventsDelivered();
      expect(watch.take()).toEqual(new Set([join(folder, 'file')]));
      await eventsDelivered();
      expect(watch.take()).toEqual(new Set());
    }
  });

  it('reports that it cannot tell if a full queue of events may have been read', () => {
    const { watch } = watchedFolder();
    const queue = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
    for (let bytes = 0; bytes < queue * 16; ) bytes += readFileSync(process.execPath).length;
    expect(watch.take()).toBeNull();
    expect(watch.take()).toEqual(new Set());
  });

  it('refuses more folders than its share, and those on another machine', () => {
    const { watch } = watchedFolder();
    const many = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    const folders = Array.from({ length: Math.ceil(many / 16) + 1 }, (_, index) => ({
      path: `/nowhere/${index}`,
      identity: '1:1:1',
    }));
    expect(watch.cover(folders)).toBe(false);
    expect(watch.cover([{ path: '/proc/self', identity: '1:1:1' }])).toBe(false);
  });
});
