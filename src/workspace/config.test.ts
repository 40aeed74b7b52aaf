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
  return { read: openConfig(root, file), write };
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
