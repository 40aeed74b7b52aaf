// find_skills and find_snippets as an agent uses them.

import { rmSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { openFinders, page } from './support.ts';

describe.each(ERAS)('in the %s era', (era) => {
  it('finds skills by every rule', async () => {
    verifies('TEAM-36', 'TEAM-37');
    const review =
      '---\nname: "review: code"\ndescription: >-\n  Look\n  twice\n---\nRead it --- all.\n';
    const project = newProject({
      '.deepwork/skills/quality/review/SKILL.md': review,
      '.deepwork/skills/quality/test/SKILL.md': page('Proves it'),
      '.deepwork/skills/broken/SKILL.md': '---\nname: a: b\n---\nStill here.\n',
    });
    const { skills } = await openFinders(project.root, era);
    const all = 'broken: No description\nreview: code: Look twice\ntest: Proves it';
    for (const input of [{}, { name: '' }, { name: null }]) {
      expect(await skills(input)).toEqual({ isError: false, text: all, data: undefined });
    }
    for (const name of ['quality/review', 'review: code', 'review']) {
      expect((await skills({ name })).text).toBe(review);
    }
    expect((await skills({ name: 'quality/' })).text).toBe(
      'review: code: Look twice\ntest: Proves it',
    );
    expect((await skills({ name: 'STILL HERE' })).text).toBe('broken: No description');
    expect(await skills({ name: 'nothing like it' })).toMatchObject({
      isError: false,
      text: 'No matching skills.',
    });
  });

  it('finds snippets by every rule', async () => {
    verifies('TEAM-36');
    const project = newProject({
      '.deepwork/snippets/go/retry.go': page('Tries again', 'for {}'),
      '.deepwork/snippets/go/retry-once.go': page('Tries once more', 'if {}'),
      '.sgai/snippets/rust/loop.rs': 'loop {}',
    });
    const { snippets } = await openFinders(project.root, era);
    expect((await snippets()).text).toBe('go\nrust');
    expect((await snippets({ language: 'go' })).text).toBe(
      'retry-once: Tries once more\nretry: Tries again',
    );
    expect((await snippets({ language: 'go', query: 'retry' })).text).toContain('for {}');
    expect((await snippets({ language: 'go', query: 'once' })).text).toContain('if {}');
    expect((await snippets({ language: 'go', query: 'TRIES' })).text).toContain('retry: ');
    expect((await snippets({ language: 'GO', query: 'once' })).text).toContain('if {}');
    expect((await snippets({ query: 'tries' })).text).toBe(
      'go/retry-once: Tries once more\ngo/retry: Tries again',
    );
    expect((await snippets({ query: 'rust/loop' })).text).toBe('loop {}');
    expect((await snippets({ query: 'zzz' })).text).toBe('No matching snippets.');
    expect((await snippets({ language: 'go', query: 'zzz' })).text).toBe('No matching snippets.');
  });

  it('refuses unknown arguments', async () => {
    verifies('TEAM-4');
    const { skills, snippets } = await openFinders(newProject().root, era);
    expect(await skills()).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Error: failed to access skills: /),
    });
    expect(await skills({ nam: 'x' })).toMatchObject({
      isError: true,
      text: "Error: Invalid arguments: nam: is not a parameter; did you mean 'name'?",
    });
    expect((await skills({ name: 7 })).text).toMatch(/^Error: Invalid arguments: name: /);
    expect((await snippets({ language: [] })).text).toMatch(
      /^Error: Invalid arguments: language: /,
    );
    expect(await snippets({ language: 'go' })).toMatchObject({
      isError: false,
      text: 'No matching snippets.',
    });
  });

  it('finds nothing outside its roots', async () => {
    verifies('TEAM-38');
    const project = newProject({
      'private/SKILL.md': 'secret',
      'private/key.txt': 'secret',
      '.deepwork/skills/open/SKILL.md': 'open',
      '.deepwork/snippets/go/open.go': 'open',
    });
    symlinkSync(project.path('private'), project.path('.deepwork/skills/private'));
    symlinkSync(project.path('private'), project.path('.deepwork/snippets/private'));
    const { skills, snippets } = await openFinders(project.root, era);
    const ways = ['private', '../../private', project.path('private'), '..', '/', 'secret', '\0'];
    for (const way of ways) {
      expect((await skills({ name: way })).text).toBe('No matching skills.');
      expect((await snippets({ language: way })).text).toBe('No matching snippets.');
      expect((await snippets({ language: way, query: 'key' })).text).toBe('No matching snippets.');
      expect((await snippets({ language: 'go', query: `${way}/key.txt` })).text).toBe(
        'No matching snippets.',
      );
    }
  });

  it('names a root that is a link out of the project, and reads nothing of it', async () => {
    verifies('TEAM-38');
    const { root: outside } = newProject({ 'go/key.go': 'secret', 'key/SKILL.md': 'secret' });
    const project = newProject({
      '.deepwork/skills/own/SKILL.md': page('own'),
      '.sgai/other.md': '',
    });
    for (const name of ['skills', 'snippets']) symlinkSync(outside, project.path(`.sgai/${name}`));
    const { skills, snippets } = await openFinders(project.root, era);
    const named = (what: string) => ({
      isError: true,
      text: `Error: failed to access ${what}: .sgai/${what} is a symbolic link that leads outside the project`,
    });
    for (const args of [
      {},
      { language: 'go' },
      { language: 'go', query: 'key' },
      { query: 'key' },
    ]) {
      expect(await snippets(args)).toMatchObject(named('snippets'));
    }
    // What the other root has is still found.
    expect((await skills()).text).toBe('own: own');
    expect(await skills({ name: 'key' })).toMatchObject(named('skills'));
  });

  it('searches the roots in order and sees each change at the next call', async () => {
    verifies('TEAM-39');
    const project = newProject({ '.sgai/skills/a/SKILL.md': page('second') });
    const { skills } = await openFinders(project.root, era);
    expect((await skills()).text).toBe('a: second');
    for (let edit = 1; edit <= 20; edit++) {
      project.write('.deepwork/skills/a/SKILL.md', page(`edit ${edit}`));
      expect((await skills()).text).toBe(`a: edit ${edit}`);
    }
    project.write('.deepwork/skills/b/SKILL.md', page('new'));
    expect((await skills()).text).toBe('a: edit 20\nb: new');
    rmSync(project.path('.deepwork/skills/a'), { recursive: true });
    expect((await skills()).text).toBe('a: second\nb: new');
  });
});

it('sees each change among a thousand skills, too', async () => {
  verifies('TEAM-39');
  const names = Array.from({ length: 1000 }, (_, index) => `s${String(index).padStart(4, '0')}`);
  const project = newProject(
    Object.fromEntries(names.map((name) => [`.deepwork/skills/${name}/SKILL.md`, page(name)])),
  );
  const { skills } = await openFinders(project.root, 'handshake');
  const list = async () => (await skills()).text.split('\n');
  expect(await list()).toHaveLength(1000);
  // From then on the server can rely on the watch.
  const { ctimeMs } = statSync(project.path(`.deepwork/skills/${names.at(-1)}/SKILL.md`));
  await expect.poll(() => Date.now() - ctimeMs).toBeGreaterThan(150);
  for (let call = 0; call < 3; call++) expect(await list()).toHaveLength(1000);
  for (let edit = 0; edit < 30; edit++) {
    const name = names[(edit * 37) % 1000];
    project.write(`.deepwork/skills/${name}/SKILL.md`, page(`edit ${edit}`));
    expect(await list()).toContain(`${name}: edit ${edit}`);
  }
});
