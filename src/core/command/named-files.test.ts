// Which files a line runs, line by line.

import { expect, test } from 'vitest';
import { filesNamedIn } from './named-files.ts';

function named(line: string, kind = 'run'): string[] {
  return (filesNamedIn(line) ?? [])
    .filter((file) => file.kind === kind)
    .map(({ path, folders }) => (folders[0] === '' ? path : `${folders[0]}/${path}`));
}

test.each<[string, string[]]>([
  ['./check.sh', ['./check.sh']],
  ['"./my check.sh" --all', ['./my check.sh']],
  ['A=1 B="x y" scripts/check.sh', ['scripts/check.sh']],
  ['bash scripts/x.sh report.md', ['scripts/x.sh']],
  ['bash -eo pipefail scripts/x.sh', ['scripts/x.sh']],
  ['bash -e scripts/x.sh', ['scripts/x.sh']],
  ['/bin/sh x.sh', ['/bin/sh', 'x.sh']],
  ['sh < x.sh', ['x.sh']],
  ['. ./env.sh && true', ['./env.sh']],
  ['node tools/x.mjs out.json', ['tools/x.mjs']],
  ['node --no-warnings --import ./setup.mjs x.mjs data.js', ['./setup.mjs', 'x.mjs']],
  ['node --test', []],
  ['node -e "1" x.js', []],
  ['python3 -m tools.check a.py', ['tools/check.py', 'tools/check/__main__.py']],
  ['python check.py && ruby b.rb; perl c.pl | php d.php', ['check.py', 'b.rb', 'c.pl', 'd.php']],
  ['if ./a.sh; then ./b.sh; else ./c.sh; fi', ['./a.sh', './b.sh', './c.sh']],
  ['sh -c "cd sub && ./x.sh"', ['sub/./x.sh']],
  ['echo "$(./x.sh)"', ['./x.sh']],
  ['echo `./x.sh`', ['./x.sh']],
  ['timeout -s KILL 10 bash x.sh', ['x.sh']],
  ['env -i A=b node x.js', ['x.js']],
  ['npx tsx tools/x.ts', ['package.json', 'tools/x.ts']],
  ['npm run lint', ['package.json']],
  ['pnpm -C web test', ['web/package.json']],
  ['cd web; npm test', ['web/package.json']],
  ['make -f build/rules.mk', ['GNUmakefile', 'makefile', 'Makefile', 'build/rules.mk']],
  ['just check', ['justfile', 'Justfile', '.justfile']],
  ['deno run -A main.ts', ['deno.json', 'deno.jsonc', 'main.ts']],
  ['$PWD/check.sh', ['check.sh']],
  ['test -s report.md # ./not-this.sh', []],
  ['grep -q TODO src/app.ts > out/x.sh', []],
  ['cat report.md | tee copy.md', []],
  ['', []],
  ['"open quote', []],
])('%s', (line, files) => {
  expect(named(line)).toEqual(files);
});

test('a path anywhere in a line is run if the file may be executed', () => {
  expect(named('find . -exec tools/x {} +', 'executable')).toEqual(['tools/x']);
  expect(named('run-all --with=./tools/x', 'executable')).toEqual(['./tools/x']);
});

test('of a line that no person can judge, nothing is said', () => {
  expect(filesNamedIn('./a.sh;'.repeat(2000))).toHaveLength(1);
  expect(filesNamedIn('./a.sh;'.repeat(3000))).toBeNull();
  const many = Array.from({ length: 100 }, (_, index) => `./${index}.sh`).join(';');
  expect(filesNamedIn(many)).toBeNull();
});
