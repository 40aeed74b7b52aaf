// Taking samples on a machine that is not idle. Samples of ours and of the reference
// alternate, so that whatever slows the machine down slows both, and medians are compared, so
// that a few disturbed samples do not count.

/**
 * @typedef {object} Summary
 * @property {string} unit
 * @property {number} median
 * @property {number} low     lower quartile
 * @property {number} high    upper quartile
 * @property {number} count
 */

/**
 * Takes one sample of each side per round. The order changes every round, because the second
 * often finds warmer caches.
 *
 * @param {object} plan
 * @param {number} plan.rounds
 * @param {number} [plan.warmUp]  rounds that are run and not counted
 * @param {(round: number) => Promise<number>} plan.ours
 * @param {(round: number) => Promise<number>} plan.reference
 * @param {string} [plan.unit]
 * @returns {Promise<{ ours: Summary, reference: Summary }>}
 */
export async function sampleInTurns({ rounds, warmUp = 0, ours, reference, unit = 'ms' }) {
  /** @type {{ ours: number[], reference: number[] }} */
  const samples = { ours: [], reference: [] };
  const sides = [
    { take: ours, into: samples.ours },
    { take: reference, into: samples.reference },
  ];
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { take, into } of round % 2 === 0 ? sides : sides.toReversed()) {
      const sample = await take(round);
      if (round >= warmUp) into.push(sample);
    }
  }
  return {
    ours: summarize(samples.ours, unit),
    reference: summarize(samples.reference, unit),
  };
}

/**
 * @param {readonly number[]} samples
 * @param {string} [unit]
 * @returns {Summary}
 */
export function summarize(samples, unit = 'ms') {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    unit,
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    count: sorted.length,
  };
}

/** @param {() => Promise<unknown>} work */
export async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function quantile(sorted, share) {
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  return below + (sorted[Math.ceil(at)] - below) * (at - Math.floor(at));
}
