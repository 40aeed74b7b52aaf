// How long this process has worked, and what that means on this machine at this moment.

import { referenceWork } from './reference-work.cjs';

/** Processor time so far, in seconds: unlike the clock, it excludes other processes. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** So much processor time as a number of pieces of reference work, about 150 in a second. */
export function inPiecesOfWork(seconds: number): number {
  // The first time, it is not compiled yet.
  referenceWork();
  const before = processorSeconds();
  referenceWork();
  return seconds / (processorSeconds() - before);
}
