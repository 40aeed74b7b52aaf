// find_skills and find_snippets as an agent uses them. Their rules are in src/knowledge.

import { rmSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, ERAS, type Era } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { page } from '../support/knowledge.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

type Input = Readonly<Record<string, unknown>>;

async function openFinders(root: string, era: Era) {
  const { call } = await connect(root, { era });
  return {
    skills: (input: Input = {}): Promise<Answer> => call('find_skills', input),
    snippets: (input: Input = {}): Promise<Answer> => call('find_snippets', input),
  };
}

const NO_SKILLS = 'No matching skills.';
const NO_SNIPPETS = 'No matching snippets.';

describe.each(ERAS)('in the %s era', (era) => {
  it('finds skills and snippets', async () => {
    verifies('TEAM-36', 'TEAM-37');
    const review = page(
      { name: '"review: code"', description: '>-\n  Look\n  twice' },
      'Read --- it.',
    );
    const project = newProject({
      '.deepwork/skills/quality/review/SKILL.md': review,
      '.deepwork/skills/broken/SKILL.md': '---\nname: a: b\n---\nStill here.\n',
      '.deepwork/snippets/go/retry.go': page({ description: 'Tries again' }, 'for {}'),
      '.sgai/snippets/rust/loop.rs': 'loop {}',
    });
    const { skills, snippets } = await openFinders(project.root, era);
    const all = 'broken: No description\nreview: code: Look twice';
    for (const input of [{}, { name: '' }, { name: null }]) {
      expect(await skills(input)).toEqual({ isError: false, text: all, data: undefined });
    }
    for (const name of ['quality/review', 'review: code', 'review']) {
      expect((await skills({ name })).text).toBe(review);
    }
    expect(await skills({ name: 'no such' })).toMatchObject({ isError: false, text: NO_SKILLS });
    expect((await snippets()).text).toBe('go\nrust');
    expect((await snippets({ language: 'go' })).text).toBe('retry: Tries again');
    expect((await snippets({ language: 'go', query: 'retry' })).text).toContain('for {}');
    expect((await snippets({ query: 'tries' })).text).toBe('go/retry: Tries again');
    expect((await snippets({ query: 'rust/loop' })).text).toBe('loop {}');
    expect(await snippets({ query: 'zzz' })).toMatchObject({ isError: false, text: NO_SNIPPETS });
  });

  it('refuses unknown and wrong arguments', async () => {
    verifies('TEAM-4');
    const { skills, snippets } = await openFinders(newProject().root, era);
    for (const [answer, names] of [
      [await skills(), 'failed to access skills'],
      [await skills({ nam: 'x' }), "nam: is not a parameter; did you mean 'name'?"],
      [await skills({ name: 7 }), 'name'],
      [await snippets({ language: [] }), 'language'],
    ] as const) {
      expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^Error: /) });
      expect(answer.text).toContain(names);
    }
    expect(await snippets({ language: 'go' })).toMatchObject({ isError: false, text: NO_SNIPPETS });
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
      expect((await skills({ name: way })).text).toBe(NO_SKILLS);
      for (const input of [
        { language: way },
        { language: way, query: 'key' },
        { language: 'go', query: `${way}/key.txt` },
      ]) {
        expect((await snippets(input)).text).toBe(NO_SNIPPETS);
      }
    }
  });

  it('names a root that is a link out of the project, and reads nothing of it', async () => {
    verifies('TEAM-38');
    const { root: outside } = newProject({ 'go/key.go': 'secret', 'key/SKILL.md': 'secret' });
    const project = newProject({
      '.deepwork/skills/own/SKILL.md': page({ description: 'own' }),
      '.sgai/other.md': '',
    });
    for (const name of ['skills', 'snippets']) symlinkSync(outside, project.path(`.sgai/${name}`));
    const { skills, snippets } = await openFinders(project.root, era);
    const go = { language: 'go' };
    for (const input of [{}, go, { ...go, query: 'key' }, { query: 'key' }]) {
      const text = expect.stringContaining('.sgai/snippets is a symbolic link');
      expect(await snippets(input)).toMatchObject({ isError: true, text });
    }
    // What the other root has is still found.
    expect((await skills()).text).toBe('own: own');
    const text = expect.stringContaining('.sgai/skills is a symbolic link');
    expect(await skills({ name: 'key' })).toMatchObject({ isError: true, text });
  });
});

it('sees each change at the next call, also among a thousand skills', async () => {
  verifies('TEAM-39');
  const names = Array.from({ length: 1000 }, (_, index) => `s${String(index).padStart(4, '0')}`);
  const file = (name: string) => `.deepwork/skills/${name}/SKILL.md`;
  const project = newProject(
    Object.fromEntries(names.map((name) => [file(name), page({ description: name })])),
  );
  const { skills } = await openFinders(project.root, 'handshake');
  const list = async () => (await skills()).text.split('\n');
  expect(await list()).toHaveLength(1000);
  // From then on the server can rely on the watch.
  const { ctimeMs } = statSync(project.path(file(names.at(-1) ?? '')));
  await expect.poll(() => Date.now() - ctimeMs).toBeGreaterThan(150);
  for (let call = 0; call < 3; call++) expect(await list()).toHaveLength(1000);
  for (let edit = 0; edit < 30; edit++) {
    const name = names[(edit * 37) % 1000] ?? '';
    project.write(file(name), page({ description: `edit ${edit}` }));
    expect(await list()).toContain(`${name}: edit ${edit}`);
  }
  rmSync(project.path('.deepwork/skills/s0001'), { recursive: true });
  expect(await list()).toHaveLength(999);
});
