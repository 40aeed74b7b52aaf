// The memory of a server after light use: resident, as the kernel counts it, after the list
// of tools, fifty calls and a moment of rest.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns } from '../samples.mjs';
import { startServer } from '../wire.mjs';

const CALLS = 50;
const REST_MS = 500;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureMemory(stage) {
  const project = writeProject(stage.folder('memory'), 5);
  const ours = stage.ours(project);
  const answer = path.join(project, 'answer.json');
  writeFileSync(answer, JSON.stringify(await oneAnswer(ours)));
  return [
    compared(
      `memory after ${CALLS} calls`,
      'bare SDK, same answers',
      await sampleInTurns({
        rounds: 9,
        unit: 'MiB',
        ours: () => residentAfterCalls(ours, 'get_workflows'),
        reference: () => residentAfterCalls(stage.bareSdk(answer), 'trivial_tool_1'),
      }),
      { must: 1.2 },
    ),
  ];
}

async function oneAnswer(args) {
  const server = startServer(args);
  try {
    await server.shakeHands();
    return await server.call('get_workflows');
  } finally {
    await server.kill();
  }
}

async function residentAfterCalls(args, tool) {
  const server = startServer(args);
  try {
    await server.shakeHands();
    await server.request('tools/list');
    for (let call = 0; call < CALLS; call++) await server.call(tool);
    await pause(REST_MS);
    return residentKib(server.pid) / 1024;
  } finally {
    await server.kill();
  }
}

export function residentKib(pid) {
  if (process.platform !== 'linux') {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  }
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
