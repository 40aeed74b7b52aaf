#!/usr/bin/env node
// A reviewer that does as it is told. A model cannot be had in tests, so this program
// stands in for one: it records how it was started and what it was given, then plays
// the first scene of `reviewer-script.json` (in its working directory) that fits.
// CommonJS, because every review is a process, and modules take a third longer to start.

const { appendFileSync, existsSync, readFileSync } = require('node:fs');

const stdin = readFileSync(0, 'utf8');
const marks = ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SESSION_ID'].filter(
  (name) => name in process.env,
);
const about = { argv: process.argv.slice(2), stdin, at: Date.now(), pid: process.pid, marks };
appendFileSync('reviewer-log.jsonl', `${JSON.stringify(about)}\n`);
const scenes = JSON.parse(readFileSync('reviewer-script.json', 'utf8'));
const asClaude = process.argv.includes('--json-schema');

const print = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

play(scenes.find(({ when }) => when === undefined || stdin.includes(when)) ?? {});

async function play(scene) {
  if (scene.sleep) await sleep(scene.sleep);
  if (scene.until) while (!existsSync(scene.until)) await sleep(20);
  if (scene.grandchild) {
    const { spawn } = require('node:child_process');
    const child = spawn('sleep', ['300'], { stdio: 'inherit' });
    appendFileSync('grandchildren.txt', `${child.pid}\n`);
  }
  if (scene.hang) await sleep(300_000);
  if (scene.flood) {
    for (let written = 0; written < scene.flood; written += 65_536) await print('x'.repeat(65_536));
  }
  if (scene.stderr) process.stderr.write(scene.stderr);
  if (scene.raw !== undefined) await print(scene.raw);
  else if (scene.answer !== undefined) {
    await print(
      asClaude
        ? JSON.stringify({ type: 'result', structured_output: scene.answer })
        : JSON.stringify(scene.answer),
    );
  }
  if (scene.log) appendFileSync('reviewer-log.jsonl', `${JSON.stringify({ ended: Date.now() })}\n`);
  process.exit(scene.exit ?? 0);
}
