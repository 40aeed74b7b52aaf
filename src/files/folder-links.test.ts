import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { checkLinks, linkProblem } from './folder-links.ts';

/** A project, a neighbour, and links between them. */
function stage() {
  const top = tempFolder('project/real/sub', 'project/plain', 'elsewhere/sub');
  const root = join(top, 'project');
  const link = (name: string, target: string) => symlinkSync(target, join(root, name));
  link('in', 'real');
  link('in-absolute', join(root, 'real'));
  link('out', '../elsewhere');
  link('out-absolute', join(top, 'elsewhere'));
  link('hop', 'out');
  link('dangling', 'none');
  link('circle', 'circle');
  link('real/up', '../../elsewhere');
  link('self', '.');
  return { top, root };
}

describe('linkProblem', () => {
  it('accepts plain folders, paths that do not exist yet, and links that stay inside', () => {
    const { root } = stage();
    const fine = ['', 'plain', 'plain/none/deeper', 'in', 'in/sub', 'in-absolute/none', 'self/in'];
    for (const name of fine)
      expect([name, linkProblem(root, join(root, name))]).toEqual([name, null]);
  });

  it('names the link at fault and does not reveal its target', () => {
    const { root } = stage();
    const problems = [
      'out',
      'out/sub',
      'out-absolute/none',
      'hop',
      'in/up/sub',
      'dangling',
      'circle/x',
    ];
    expect(problems.map((name) => linkProblem(root, join(root, name)))).toEqual([
      'out is a symbolic link that leads outside the project',
      'out is a symbolic link that leads outside the project',
      'out-absolute is a symbolic link that leads outside the project',
      'hop is a symbolic link that leads outside the project',
      'real/up is a symbolic link that leads outside the project',
      'dangling is a symbolic link that leads nowhere',
      'circle is a symbolic link that leads in a circle',
    ]);
  });

  it('shows a name from the repository on one line, whatever it contains', () => {
    const { root } = stage();
    const name = `a\n\u001b[31mdeepwork: all is well\u202e`;
    symlinkSync('../elsewhere', join(root, name));
    expect(linkProblem(root, join(root, name))).toBe(
      'a\\u{a}\\u{1b}[31mdeepwork: all is well\\u{202e} is a symbolic link that leads outside the project',
    );
  });

  it('notices a folder that has become a link, and one that is a folder again', () => {
    const { top, root } = stage();
    const folder = join(root, 'plain');
    expect(linkProblem(root, folder)).toBeNull();
    renameSync(folder, join(top, 'moved'));
    symlinkSync(join(top, 'moved'), folder);
    expect(linkProblem(root, folder)).toContain('plain is a symbolic link');
    rmSync(folder);
    mkdirSync(folder);
    expect(linkProblem(root, folder)).toBeNull();
  });

  it('accepts a root that is itself reached through a link', () => {
    const { top, root } = stage();
    const alias = join(top, 'alias');
    symlinkSync(root, alias);
    expect(linkProblem(alias, join(alias, 'in/sub'))).toBeNull();
    expect(linkProblem(alias, join(alias, 'in-absolute'))).toBeNull();
    expect(linkProblem(alias, join(alias, 'out'))).toBe(
      'out is a symbolic link that leads outside the project',
    );
    expect(linkProblem(alias, join(alias, 'in/up'))).toBe(
      'real/up is a symbolic link that leads outside the project',
    );
  });
});

describe('checkLinks', () => {
  it('allows a path that is outside by its own text, which only a person can have given', () => {
    const { top, root } = stage();
    expect(checkLinks(root, join(top, 'elsewhere'))).toEqual({ kind: 'allowed' });
    expect(checkLinks(root, join(`${root}-too`, 'x'))).toEqual({ kind: 'allowed' });
  });
});
