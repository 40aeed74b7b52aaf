// npm run bench:compare -- <checkout>: this build against that of another checkout (the commit
// before, say), row by row. Both are measured in turns, measure by measure, so that a machine
// that gets slower slows both. A row counts by its ratio to its own reference where it has one,
// since both sides of that ratio were measured together, else by its value.
//
//   node bench/compare.mjs ../before [--only start,step] [--rounds 3]
//
// Both checkouts need `npm ci && npm run build`. Ends with 1 if a row is more than 10 % worse.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { summarize } from './samples.mjs';
import { aligned } from './table.mjs';

const WORSE = 1.1;
const here = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {import('./rows.mjs').Row} Row */

process.exitCode = await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, rounds: { type: 'string', default: '3' } },
  });
  const [given] = positionals;
  if (given === undefined || !existsSync(path.join(given, 'dist', 'main.cjs'))) {
    process.stderr.write('bench: name a checkout that is built: node bench/compare.mjs <folder>\n');
    return 2;
  }
  const before = path.resolve(given);
  const names = values.only?.split(',') ?? (await measuresOf(here));
  const known = await measuresOf(before);
  const lines = [];
  let worse = false;
  for (const name of names.filter((each) => known.includes(each))) {
    /** @type {Map<string, { now: number[], before: number[], unit: string }>} */
    const samples = new Map();
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const sides = round % 2 === 0 ? ['now', 'before'] : ['before', 'now'];
      for (const side of sides) {
        for (const row of await measure(side === 'now' ? here : before, name)) {
          const { value, unit } = counted(row);
          const kept = samples.get(row.name) ?? { now: [], before: [], unit };
          samples.set(row.name, kept);
          kept[side].push(value);
        }
      }
    }
    for (const [row, { now, before: old, unit }] of samples) {
      if (now.length === 0 || old.length === 0) {
        lines.push([row, shown(old, unit), shown(now, unit), '-', 'not compared']);
        continue;
      }
      const [ours, theirs] = [summarize(now).median, summarize(old).median];
      // Nothing before and nothing now is no change.
      const change = ours === theirs ? 1 : ours / theirs;
      worse ||= !(change <= WORSE);
      lines.push([
        row,
        shown(old, unit),
        shown(now, unit),
        `${change.toFixed(2)}x`,
        change <= WORSE ? 'ok' : 'WORSE',
      ]);
    }
  }
  process.stdout.write(`${aligned(['measure', 'before', 'now', 'change', ''], lines)}\n`);
  return worse ? 1 : 0;
}

async function measure(checkout, name) {
  process.stderr.write(`measuring: ${name} in ${checkout}\n`);
  const { rows } = JSON.parse(await bench(checkout, ['--only', name, '--json']));
  return /** @type {Row[]} */ (rows).filter(({ verdict, error }) => {
    if (verdict === 'failed') process.stderr.write(`failed: ${name} in ${checkout}: ${error}\n`);
    return verdict !== 'failed';
  });
}

/**
 * @param {number[]} samples none if the row is missing or has failed
 * @param {string} unit
 */
function shown(samples, unit) {
  return samples.length === 0 ? '-' : `${summarize(samples).median.toFixed(2)}${unit}`;
}

async function measuresOf(checkout) {
  const help = await bench(checkout, ['--help']);
  return (/^Measures: (.*)$/m.exec(help)?.[1] ?? '').split(', ');
}

/** The bench ends with 1 when a bound is broken; its rows count all the same. */
async function bench(checkout, args) {
  const file = path.join(checkout, 'bench', 'run.mjs');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], {
      cwd: checkout,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout } = /** @type {{ stdout?: string }} */ (error);
    if (!stdout) throw error;
    return stdout;
  }
}

/** @param {Row} row */
function counted({ ratio, ours, unit }) {
  return ratio === null ? { value: ours, unit: ` ${unit}` } : { value: ratio, unit: 'x' };
}
