// Five thousand unchanged skills. A large collection is watched, so that a call need not check
// every file; the cost of a call must then be negligible.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compared, limited } from '../rows.mjs';
import { sampleInTurns, summarize, timed } from '../samples.mjs';

const MANY = 5000;
const FEW = 50;
const MAX_MS = 5;
const ROUNDS = 60;
/** Longer than needed before a file that was just written is relied on. */
const SETTLING_MS = 300;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureSkills({ folder, parts }) {
  const many = parts.openKnowledge(writeSkills(folder('many-skills'), MANY));
  const few = parts.openKnowledge(writeSkills(folder('few-skills'), FEW));
  await pause(SETTLING_MS);
  try {
    const first = await timed(() => many.skills.find(''));
    const list = await sampleInTurns({
      rounds: ROUNDS,
      warmUp: 10,
      ours: () => timed(() => many.skills.find('')),
      reference: () => timed(() => few.skills.find('')),
    });
    const one = await sample(() => many.skills.find('skill-0042'));
    // The first search reads the texts; later ones use them.
    const search = await sample(() => many.skills.find('a phrase that nobody wrote'), 3);
    return [
      compared(`find_skills, list of ${MANY}`, `of ${FEW}`, list),
      limited('  list, unchanged', 'ms', list.ours.median, MAX_MS),
      limited('  one by name', 'ms', one.median, MAX_MS),
      limited('  search through all texts', 'ms', search.median),
      limited('  first call', 'ms', first),
    ];
  } finally {
    many.close();
    few.close();
  }
}

async function sample(work, warmUp = 1) {
  for (let round = 0; round < warmUp; round++) await work();
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(await timed(work));
  return summarize(samples);
}

function writeSkills(root, count) {
  for (let number = 1; number <= count; number++) {
    const name = `skill-${String(number).padStart(4, '0')}`;
    const dir = path.join(root, '.deepwork', 'skills', `group-${number % 40}`, name);
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      path.join(dir, 'SKILL.md'),
      `---\nname: ${name}\ndescription: What to do about matter ${number}\n---\n\n# ${name}\n\n${'Read, think, write it down.\n'.repeat(40)}`,
    );
  }
  return root;
}
