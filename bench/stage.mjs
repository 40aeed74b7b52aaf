// The setup of all measures: a folder that is removed afterwards, our built server, and the
// peers, bundled and minified like our own build, for a fair comparison.

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = path.join(root, 'dist', 'main.cjs');

/**
 * @typedef {object} Stage
 * @property {(name: string) => string} folder            a new folder of that name
 * @property {(project: string) => string[]} ours         arguments of node: our server
 * @property {readonly string[]} hook                     the same: a hook of Claude Code
 * @property {readonly string[]} status                   the same: deepwork status
 * @property {readonly string[]} floor                    the same: a server written by hand
 * @property {(answer?: string) => string[]} bareSdk      the same: nothing but the SDK
 * @property {(project: string) => string[]} oursOverHttp
 * @property {(answer: string, tools: number) => string[]} bareSdkOverHttp
 * @property {readonly string[]} replay                   the same: reads one stream
 * @property {readonly string[]} replayFloor              the same: only its lines, hashed and parsed
 * @property {typeof import('./parts.mjs')} parts
 */

/**
 * `DEEPWORK_BENCH_DIR` is the folder to work in: the measures include its disk.
 *
 * @returns {Promise<Stage>}
 */
export async function setStage() {
  if (!existsSync(binary)) throw new Error('dist/main.cjs is missing. Run: npm run build');
  const base = process.env.DEEPWORK_BENCH_DIR ?? os.tmpdir();
  const work = realpathSync(mkdtempSync(path.join(base, 'deepwork-bench-')));
  process.on('exit', () => rmSync(work, { recursive: true, force: true, maxRetries: 3 }));

  const floor = path.join(work, 'floor.cjs');
  const bareSdk = path.join(work, 'bare-sdk.cjs');
  const bareSdkHttp = path.join(work, 'bare-sdk-http.cjs');
  const replay = path.join(work, 'replay.cjs');
  const replayFloor = path.join(work, 'replay-floor.cjs');
  const parts = path.join(work, 'parts.cjs');
  await Promise.all([
    bundle('bench/peers/floor.mjs', floor),
    bundle('bench/peers/bare-sdk.mjs', bareSdk),
    bundle('bench/peers/bare-sdk-http.mjs', bareSdkHttp),
    bundle('bench/replay-once.mjs', replay),
    bundle('bench/peers/replay-floor.mjs', replayFloor),
    bundle('bench/parts.mjs', parts, { minify: false }),
  ]);
  return {
    folder(name) {
      const folder = path.join(work, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    ours: (project) => [binary, 'serve', '--path', project],
    hook: [binary, 'hook', 'claude'],
    status: [binary, 'status'],
    floor: [floor],
    bareSdk: (answer) => (answer === undefined ? [bareSdk] : [bareSdk, answer]),
    oursOverHttp: (project) => [
      binary,
      ...['serve', '--transport', 'http', '--port', '0', '--path', project],
    ],
    bareSdkOverHttp: (answer, tools) => [bareSdkHttp, answer, String(tools)],
    replay: [replay],
    replayFloor: [replayFloor],
    parts: createRequire(import.meta.url)(parts),
  };
}

function bundle(entry, outfile, { minify = true } = {}) {
  return build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    minify,
    format: 'cjs',
    legalComments: 'none',
    logLevel: 'warning',
  });
}
