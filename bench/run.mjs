// npm run bench: compares us with peers and with the machine's own floor, in one table from
// one run. Ratios, because milliseconds say more about a machine than about a program. Exits
// with 1 if a bound is broken or a measure could not be taken.
//
//   node bench/run.mjs [--only start,step] [--json]

import os from 'node:os';
import { parseArgs } from 'node:util';
import { measureCall } from './measures/call.mjs';
import { measureDescriptions } from './measures/descriptions.mjs';
import { measureGate } from './measures/gate.mjs';
import { measureGuides } from './measures/guides.mjs';
import { measureHook } from './measures/hook.mjs';
import { measureHttp } from './measures/http.mjs';
import { measureLibrary } from './measures/library.mjs';
import { measureLint } from './measures/lint.mjs';
import { measureLongWorkflow } from './measures/long-workflow.mjs';
import { measureMemory } from './measures/memory.mjs';
import { measurePage } from './measures/page.mjs';
import { measurePostgres } from './measures/postgres.mjs';
import { measureReplay } from './measures/replay.mjs';
import { measureSessions } from './measures/sessions.mjs';
import { measureSkills } from './measures/skills.mjs';
import { measureStart } from './measures/start.mjs';
import { measureStatus } from './measures/status.mjs';
import { measureStep } from './measures/step.mjs';
import { measureTeam } from './measures/team.mjs';
import { failed, isBroken } from './rows.mjs';
import { setStage } from './stage.mjs';
import { printable } from './table.mjs';
import { stopServers } from './wire.mjs';

const MEASURES = new Map([
  ['start', measureStart],
  ['call', measureCall],
  ['step', measureStep],
  ['gate', measureGate],
  ['hook', measureHook],
  ['http', measureHttp],
  ['library', measureLibrary],
  ['lint', measureLint],
  ['long-workflow', measureLongWorkflow],
  ['guides', measureGuides],
  ['skills', measureSkills],
  ['memory', measureMemory],
  ['replay', measureReplay],
  ['descriptions', measureDescriptions],
  ['sessions', measureSessions],
  ['status', measureStatus],
  ['team', measureTeam],
  ['page', measurePage],
  ['postgres', measurePostgres],
]);

const HELP = `Usage: node bench/run.mjs [--only NAME[,NAME...]] [--json]
Measures: ${[...MEASURES.keys()].join(', ')}
`;

// Cleaning up happens on exit, which a signal alone would skip.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

process.exitCode = await main();

async function main() {
  const options = readOptions();
  if (typeof options === 'string') {
    process.stderr.write(options);
    return 2;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const stage = await setStage().catch((error) => {
    process.stderr.write(`bench: ${error.message}\n`);
  });
  if (stage === undefined) return 2;
  const rows = await measure(stage, options.names);
  const machine = describeMachine();
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ machine, broken: isBroken(rows), rows }, null, 2)}\n`
      : `${machine}; medians\n\n${printable(rows)}\n`,
  );
  return isBroken(rows) ? 1 : 0;
}

/** Includes the load: medians of alternating samples tolerate some, but not much. */
function describeMachine() {
  const cores = os.availableParallelism();
  const load = os.loadavg()[1];
  const crowd = load > cores ? ' (BUSY: do not trust the times)' : '';
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `node ${process.version}, ${model}, ${cores} cores, load ${load.toFixed(1)}${crowd}`;
}

async function measure(stage, names) {
  const rows = [];
  for (const name of names) {
    process.stderr.write(`measuring: ${name}\n`);
    try {
      rows.push(...((await MEASURES.get(name)?.(stage)) ?? []));
    } catch (error) {
      rows.push(failed(name, error));
    } finally {
      stopServers();
    }
  }
  return rows;
}

/** The options, or the problem with them. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const names = values.only?.flatMap((list) => list.split(',')) ?? [...MEASURES.keys()];
    const unknown = names.filter((name) => !MEASURES.has(name));
    if (unknown.length > 0) return `bench: unknown measure '${unknown[0]}'\n${HELP}`;
    return { names, json: values.json, help: values.help };
  } catch (error) {
    return `bench: ${error instanceof Error ? error.message : error}\n${HELP}`;
  }
}
