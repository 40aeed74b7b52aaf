import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { pathsInProject } from './paths-in-project.ts';

test('paths in the project become relative, also through a link to the project', () => {
  const folder = tempFolder('real');
  const root = path.join(folder, 'link');
  symlinkSync(path.join(folder, 'real'), root);
  const sent = {
    one: path.join(root, 'docs/a.md'),
    more: [path.join(folder, 'real/b.md'), 'c.md', '/elsewhere/d.md'],
    none: null,
  };
  expect(pathsInProject(root, sent)).toEqual({
    one: 'docs/a.md',
    more: ['b.md', 'c.md', '/elsewhere/d.md'],
    none: null,
  });
});
