import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openConfig, parseConfig } from './config.ts';

function configFile(text: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deepwork-config-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.deepwork'));
  const file = join(root, '.deepwork/config.yml');
  const write = (content: string) => {
    writeFileSync(file, content);
    // Long enough ago that another change could not carry the same time.
    const past = new Date(Date.now() - 60_000);
    utimesSync(file, past, past);
  };
  write(text);
  return { file, read: openConfig(root, file), write };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 30));

test('a broken file is read once, and fails with the same words until it changes', async () => {
  const { read, write } = configFile('a: b: c\n');
  await settle();
  const errors: unknown[] = [];
  for (let times = 0; times < 3; times++) await read().catch((error) => errors.push(error));
  expect(errors).toHaveLength(3);
  // The very same: nobody has parsed it again.
  expect(errors[1]).toBe(errors[0]);
  expect(errors[2]).toBe(errors[0]);
  write('quality_gate:\n  max_parallel: 7\n');
  expect((await read()).maxParallel).toBe(7);
});

test('a key that is written twice is no setting', async () => {
  await expect(parseConfig('team:\n  tokens: true\n  tokens: false\n')).rejects.toThrow(
    "cannot be read: duplicate key 'tokens' at line 3, column 3",
  );
});

test('quotes, anchors and plain words mean what they mean in any YAML', async () => {
  const text =
    'git:\n  branch: "off"\nx: &n 9\nquality_gate: {max_parallel: *n, default_timeout: 0x10}\n';
  expect(await parseConfig(text)).toMatchObject({
    branch: 'off',
    maxParallel: 9,
    timeoutSeconds: 16,
  });
});

test('a file is not read again, unless another change could carry the same time', async () => {
  const { file, read } = configFile('quality_gate: {max_parallel: 7}\n');
  await settle();
  const first = await read();
  expect(await read()).toBe(first);
  // By a clock that runs ahead, its last change is never long ago.
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(file, ahead, ahead);
  const unsure = await read();
  expect(await read()).toEqual(unsure);
  expect(await read()).not.toBe(unsure);
});

test.each([
  ['default_timeout', 'timeoutSeconds'],
  ['default_max_attempts', 'maxAttempts'],
  ['max_parallel', 'maxParallel'],
  ['answer_within', 'answerWithinSeconds'],
] as const)('quality_gate.%s is a whole number from 1 to 86400', async (key, name) => {
  const parse = (value: string) => parseConfig(`quality_gate: {${key}: ${value}}\n`);
  for (const good of [1, 86_400]) expect((await parse(String(good)))[name]).toBe(good);
  expect((await parse('null'))[name]).toBeNull();
  for (const bad of ['0', '-1', '86401', '1.5', '"9"', '.inf', 'yes', '[1]']) {
    await expect(parse(bad), bad).rejects.toThrow(
      `.deepwork/config.yml 'quality_gate.${key}' must be a whole number from 1 to 86400`,
    );
  }
});
