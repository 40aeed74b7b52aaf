import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knowledgeOf, page, tempProject } from '../../test/support/knowledge.ts';
import { verifies } from '../../test/verifies.ts';

const ROOT = '.deepwork/skills';
const NONE = 'No matching skills.';

function skillsOf(files: Readonly<Record<string, string>>) {
  const project = tempProject(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text])),
  );
  const { skills } = knowledgeOf(project);
  return { project, find: (name = '') => skills.find(name) };
}

describe('find', () => {
  it('lists all skills in path order, with labels that lead to content', async () => {
    verifies('TEAM-36');
    const files = {
      'b/review/SKILL.md': page({ name: 'review', description: 'Of b' }),
      'a/review/SKILL.md': page({ name: 'review', description: 'Of a' }),
      'plain/SKILL.md': `\ufeffNo front matter\r\n\n`,
      'deep/er/named/SKILL.md': page({ name: 'Something else' }),
      'SKILL.md': page({ description: 'The root itself' }),
    };
    const { find } = skillsOf(files);
    const list = (await find()).split('\n');
    expect(list).toEqual([
      '.: The root itself',
      'a/review: Of a',
      'b/review: Of b',
      'Something else: No description',
      'plain: No description',
    ]);
    const contents = list.map((line) => find(line.slice(0, line.lastIndexOf(': '))));
    expect((await Promise.all(contents)).sort()).toEqual(Object.values(files).sort());
  });

  it('gives every label to one skill, whatever other paths are', async () => {
    verifies('TEAM-36');
    const { find } = skillsOf({
      'alpha/SKILL.md': page({ name: 'beta' }, 'I am alpha'),
      'beta/SKILL.md': page({ name: 'gamma' }, 'I am beta'),
    });
    expect(await find()).toBe('alpha: No description\ngamma: No description');
    expect(await find('alpha')).toContain('I am alpha');
    expect(await find('gamma')).toContain('I am beta');
  });

  it('tries its rules in order', async () => {
    verifies('TEAM-36');
    const { project, find } = skillsOf({
      'other/SKILL.md': page({ description: 'Mentions Target in passing' }),
    });
    const write = (path: string, text: string) => project.write(`${ROOT}/${path}`, text);
    expect(await find('target')).toBe('other: Mentions Target in passing');

    write('x/target/SKILL.md', page({ name: 'Last part' }, 'by last part'));
    expect(await find('target')).toContain('by last part');
    write('y/target/SKILL.md', page({ name: 'Last part too' }));
    expect(await find('target')).toBe('Last part: No description\nLast part too: No description');

    write('target-practice/SKILL.md', page({ name: 'Begins so' }));
    write('target/below/SKILL.md', page({ name: 'Below' }));
    expect(await find('target')).toBe('Begins so: No description\nBelow: No description');

    write('z/SKILL.md', page({ name: 'target' }, 'by name'));
    expect(await find('target')).toContain('by name');
    write('zz/SKILL.md', page({ name: 'target' }));
    expect(await find('target')).toBe('z: No description\nzz: No description');

    write('target/SKILL.md', page({ name: 'At the path' }, 'by path'));
    expect(await find('target')).toContain('by path');
  });

  it('searches names, descriptions and whole texts, ignoring case', async () => {
    verifies('TEAM-36');
    const { find } = skillsOf({
      'a/SKILL.md': page({ name: 'ÜBER-check' }),
      'b/SKILL.md': page({ description: 'The über way' }),
      'c/SKILL.md': page({ when_to_use: 'for anything Über' }),
      'd/SKILL.md': 'Nothing',
    });
    expect((await find('übeR')).split('\n')).toHaveLength(3);
    expect(await find('nowhere to be found')).toBe(NONE);
  });

  it('reports why there are no skills', async () => {
    verifies('TEAM-36');
    const project = tempProject();
    const { skills } = knowledgeOf(project);
    await expect(skills.find('')).rejects.toThrow(/\.deepwork\/skills: .*\.sgai\/skills: /);
    mkdirSync(join(project.root, '.sgai/skills'), { recursive: true });
    expect([await skills.find(''), await skills.find('x')]).toEqual([NONE, NONE]);
    rmSync(join(project.root, '.sgai/skills'), { recursive: true });
    project.write('.sgai/skills', 'a file');
    await expect(skills.find('')).rejects.toThrow('.sgai/skills: it is not a folder');
  });
});

describe('front matter', () => {
  const described = (text: string) => skillsOf({ 'here/SKILL.md': text }).find();

  it.each([
    ["name: \"Quoted: name\"\ndescription: 'It''s'", "Quoted: name: It's"],
    ['name: n\ndescription: >\n  Folded\n  text\n\n  here', 'n: Folded text here'],
    ['name: n\ndescription: |\n  One\n  --- two', 'n: One --- two'],
    ['name: n\r\ndescription: d\r', 'n: d'],
    ['name: 1.10\ndescription: 2024-01-02', '1.10: 2024-01-02'],
    ['name: n\ndescription: a --- b\nmore: ---x', 'n: a --- b'],
  ])('is real YAML: %j', async (yaml, label) => {
    verifies('TEAM-37');
    expect(await described(`---\n${yaml}\n---\n`)).toBe(label);
  });

  it.each([
    ...['name: a: b: c', 'name: [x', '- name', 'name: twice\nname: twice', 'name: *x'],
    ...['name: [a, b]\ndescription: {a: b}', `name: x\ndeep: ${'['.repeat(5000)}`],
    `name: x\nlong: ${'y'.repeat(70_000)}`,
  ])('is ignored if broken: %.30j', async (yaml) => {
    verifies('TEAM-37');
    expect(await described(`---\n${yaml}\n---\n`)).toBe('here: No description');
    expect(await described(`---\n${yaml}\n`), 'never closed').toBe('here: No description');
  });
});

describe('a skill outside its root', () => {
  it('does not exist', async () => {
    verifies('TEAM-38');
    const { project, find } = skillsOf({ 'in/SKILL.md': page({ name: 'inside' }) });
    const outside = project.write('secret/SKILL.md', page({ name: 'secret' }, 'the secret'));
    symlinkSync(join(project.root, 'secret'), join(project.root, ROOT, 'way-out'));
    mkdirSync(join(project.root, ROOT, 'file-out'));
    symlinkSync(outside, join(project.root, ROOT, 'file-out/SKILL.md'));
    expect(await find()).toBe('inside: No description');
    for (const name of ['way-out', 'file-out', '../../secret', outside, 'secret', '/', '..']) {
      expect(await find(name)).toBe(NONE);
    }
  });

  it('exists if a link leads to a place inside, or is the root itself', async () => {
    const { project, find } = skillsOf({ 'in/SKILL.md': page({}, 'inside') });
    symlinkSync('in', join(project.root, ROOT, 'alias'));
    mkdirSync(join(project.root, ROOT, 'linked'));
    symlinkSync('../in/SKILL.md', join(project.root, ROOT, 'linked/SKILL.md'));
    project.write(`${ROOT}/in/SKILL.md`, 'changed');
    for (const path of ['alias', 'in', 'linked']) expect(await find(path)).toBe('changed');
    const other = tempProject({ 'shared/a/SKILL.md': page({ name: 'shared' }) });
    mkdirSync(join(other.root, '.deepwork'));
    symlinkSync('../shared', join(other.root, ROOT));
    expect(await knowledgeOf(other).skills.find('')).toBe('shared: No description');
  });

  it('never breaks a look: circles of links, pipes, folders, files that are not text', async () => {
    const { project, find } = skillsOf({ 'ok/SKILL.md': 'fine', '.git/x/SKILL.md': 'hidden' });
    const at = (path: string) => join(project.root, ROOT, path);
    symlinkSync('..', at('ok/up'));
    symlinkSync('self', at('self'));
    symlinkSync('nowhere', at('dangling'));
    mkdirSync(at('folder/SKILL.md'), { recursive: true });
    project.write(`${ROOT}/binary/SKILL.md`, Uint8Array.of(0x89, 0x50, 0, 1));
    project.write(`${ROOT}/large/SKILL.md`, 'x'.repeat(1024 * 1024 + 1));
    project.write(`${ROOT}/latin/SKILL.md`, Uint8Array.of(0x63, 0x61, 0x66, 0xe9));
    project.write(`${ROOT}/two\nlines/SKILL.md`, 'x');
    mkdirSync(at('pipe'));
    execFileSync('mkfifo', [at('pipe/SKILL.md')]);
    expect(await find()).toBe('latin: No description\nok: No description');
    expect(await find('latin')).toBe('caf\ufffd');
    const deep = at('d/'.repeat(40));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'SKILL.md'), 'too deep');
    expect(await find('too deep')).toBe(NONE);
  });
});

it('equal paths of the next root are hidden', async () => {
  verifies('TEAM-39');
  const project = tempProject({
    '.sgai/skills/a/SKILL.md': page({ description: 'second' }),
    '.sgai/skills/b/SKILL.md': page({ description: 'only here' }),
  });
  const { skills } = knowledgeOf(project);
  expect(await skills.find('')).toBe('a: second\nb: only here');
  const first = project.write(`${ROOT}/a/SKILL.md`, page({ description: 'first' }));
  expect(await skills.find('')).toBe('a: first\nb: only here');
  rmSync(first);
  expect(await skills.find('')).toBe('a: second\nb: only here');
});
