// The files that a command line runs.

import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { filesNamedIn } from './named-files.ts';

function named(line: string, kind = 'run'): string[] {
  return (filesNamedIn(line) ?? [])
    .filter((file) => file.kind === kind)
    .map(({ path, folders }) => (folders[0] === '' ? path : `${folders[0]}/${path}`));
}

const MAKE = ['GNUmakefile', 'makefile', 'Makefile'];
const JUST = ['justfile', 'Justfile', '.justfile'];
const RAKE = ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'];
const TOX = ['tox.ini', 'tox.toml', 'setup.cfg', 'pyproject.toml'];
const TASK = [
  ...['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'],
  ...['taskfile.dist.yml', 'Taskfile.dist.yaml', 'taskfile.dist.yaml'],
];

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
  ['npx tsx tools/x.ts', ['package.json', '.npmrc', 'tools/x.ts']],
  ['npm run lint', ['package.json', '.npmrc']],
  ['npm -w packages/a test', ['packages/a/package.json', 'packages/a/.npmrc']],
  [
    'pnpm -C web test',
    ['web/package.json', 'web/.npmrc', 'web/pnpm-workspace.yaml', 'web/.pnpmfile.cjs'],
  ],
  ['yarn lint', ['package.json', '.yarnrc.yml', '.yarnrc']],
  ['cd web; npm test', ['web/package.json', 'web/.npmrc']],
  ['make -f build/rules.mk', ['GNUmakefile', 'makefile', 'Makefile', 'build/rules.mk']],
  ['just check', ['justfile', 'Justfile', '.justfile']],
  ['deno run -A main.ts', ['deno.json', 'deno.jsonc', 'main.ts']],
  ['$PWD/check.sh', ['check.sh']],
  ['test -s report.md # ./not-this.sh', []],
  ['grep -q TODO src/app.ts > out/x.sh', []],
  ['cat report.md | tee copy.md', []],
  ['time -p bash x.sh', ['x.sh']],
  ['flock lock bash x.sh', ['x.sh']],
  ['2>&1 bash x.sh', ['x.sh']],
  ['bash 2>/dev/null x.sh', ['x.sh']],
  ['bash &>log x.sh', ['x.sh']],
  ['bash +e x.sh', ['x.sh']],
  ['bash -ce "bash x.sh"', ['x.sh']],
  ["bash $'x.sh'", ['x.sh']],
  ["echo $'\\''; bash x.sh", ['x.sh']],
  ['A="$(bash x.sh)"', ['x.sh']],
  ['cat x.sh | bash', ['x.sh']],
  ['bash <(cat x.sh)', ['x.sh']],
  ["trap 'bash x.sh' EXIT", ['x.sh']],
  ['function f { bash x.sh; }; f', ['x.sh']],
  ['command . ./x.sh', ['./x.sh']],
  ['builtin source ./x.sh', ['./x.sh']],
  ['grep -rn TODO . x.sh', []],
  ["bash -c -- 'bash x.sh'", ['x.sh']],
  ["bash -c -eo pipefail 'bash x.sh'", ['x.sh']],
  ["npx -c 'bash x.sh'", ['package.json', '.npmrc', 'x.sh']],
  ["npm exec --call='bash x.sh'", ['package.json', '.npmrc', 'x.sh']],
  ["env -S 'bash x.sh'", ['x.sh']],
  ["env -iS'bash x.sh'", ['x.sh']],
  ["env --split-string='bash x.sh'", ['x.sh']],
  ["command env -S 'bash x.sh'", ['x.sh']],
  ["timeout 5 env -S 'bash x.sh'", ['x.sh']],
  ["cat <<'END'\ndon't\nEND\nbash x.sh", ['x.sh']],
  ['BASH_ENV=./x.sh bash -c true', ['./x.sh']],
  ['NODE_OPTIONS="--import ./x.mjs" node --test', ['./x.mjs']],
  [
    'node --conditions dev.1 x.mjs',
    ['dev.1', 'dev.1.js', 'dev.1/index.js', 'dev.1/package.json', 'x.mjs'],
  ],
  ['node tools/x', ['tools/x', 'tools/x.js', 'tools/x/index.js', 'tools/x/package.json']],
  ['php -d memory_limit=-1 x.php', ['memory_limit=-1', 'x.php']],
  ['perl -p x.pl report.md', ['x.pl']],
  ['python3 -mtools.check', ['tools/check.py', 'tools/check/__main__.py']],
  ['uv run x.py', ['x.py']],
  ['ruby3.2 x.rb', ['x.rb']],
  ['awk -f x.awk report.md', ['x.awk']],
  ['cd a && cd b && ./x.sh', ['a/b/./x.sh']],
  ['make -fci.mk check', [...MAKE, 'ci.mk']],
  ['make -ksfci.mk check', [...MAKE, 'ci.mk']],
  ['make --makefile=ci.mk', [...MAKE, 'ci.mk']],
  ['timeout 9 make -f ci.mk', [...MAKE, 'ci.mk']],
  ['make -C sub -fci.mk', [...MAKE, 'ci.mk'].map((file) => `sub/${file}`)],
  ['just -f ci/x.just a', [...JUST, 'ci/x.just']],
  ['just --justfile=ci.just a', [...JUST, 'ci.just']],
  ['just --justfile ci.just -d sub a', [...JUST, 'ci.just'].map((file) => `sub/${file}`)],
  ['task -t ci.yml', [...TASK, 'ci.yml']],
  ['task --taskfile ci.yml', [...TASK, 'ci.yml']],
  ['rake -f ci.rake', [...RAKE, 'ci.rake']],
  ['rake -fci.rake', [...RAKE, 'ci.rake']],
  ['rake --rakefile=ci.rake', [...RAKE, 'ci.rake']],
  ['tox -c ci.ini', [...TOX, 'ci.ini']],
  ['tox -cci.ini', [...TOX, 'ci.ini']],
  ['nox -f ci.py', ['noxfile.py', 'ci.py']],
  ['nox --noxfile ci.py', ['noxfile.py', 'ci.py']],
  ['composer -d sub test', ['sub/composer.json']],
  ['composer -dsub test', ['sub/composer.json']],
  ['composer --working-dir=sub test', ['sub/composer.json']],
  ['invoke -c ci check', ['tasks.py', 'tasks/__init__.py', 'ci.py', 'ci/__init__.py']],
  ['deno run -c ci.json x.ts', ['deno.json', 'deno.jsonc', 'ci.json', 'x.ts']],
  ['awk -fx.awk report.md', ['x.awk']],
  ['gawk -E x.awk report.md', ['x.awk']],
  ['sed -nfx.sed report.md', ['x.sed']],
  ['jq -rf x.jq out.json', ['x.jq']],
  ['bash run', ['run']],
  ['sh -e test', ['test']],
  ['csh x.csh', ['x.csh']],
  ['tcsh -f x', ['x']],
  ['cat x.sh | bash -e', ['x.sh']],
  ['cat x | bash -eu', ['x']],
  ['cat x.sh | bash -s -- a b', ['x.sh']],
  ['cat x.sh | sudo -n bash', ['x.sh']],
  ['cat x.sh |& bash -', ['x.sh']],
  ['cat x.sh | bash /dev/stdin', ['x.sh']],
  ['(cat x.sh) | (bash -e)', ['x.sh']],
  ['sed s/a/b/ x.sh | tee log | sh -x', ['x.sh']],
  ['cat x.sh | { cd sub; bash -e; }', ['sub/x.sh']],
  ['cat x.sh | (true; bash -e)', ['x.sh']],
  ['f() { bash; }; cat x.sh | f', ['x.sh']],
  ['cat x.py | python3', ['x.py']],
  ['cat x.py | python3 -u -', ['x.py']],
  ['cat x.js | node --no-warnings', ['x.js']],
  ['<x bash -e', ['x']],
  ['bash -s a < x.sh', ['x.sh']],
  ['bash - x.sh', ['x.sh']],
  ['bash -e <(cat x.sh)', ['x.sh']],
  ['eval "$(cat x.sh)"', ['x.sh']],
  ['eval $(cat x.sh)', ['x.sh']],
  ['eval "`cat x.sh`"', ['x.sh']],
  ['bash -c "$(<x.sh)"', ['x.sh']],
  ['bash -c "$(< x.sh)"', ['x.sh']],
  ['bash -c "set -e; $(cat x.sh)"', ['x.sh']],
  ['python3 -c "$(cat x.py)"', ['x.py']],
  ['bash <<< "$(cat x.sh)"', ['x.sh']],
  // What is only data stays out.
  ['cat report.md | python3 -c "1"', []],
  ['cat src/app.ts | grep -q TODO', []],
  ['cat src/app.ts | node check.mjs', ['check.mjs']],
  ['grep -q x src/app.ts || node --test', []],
  ['grep -q x src/app.ts; node --test', []],
  ['python3 -m json.tool < out.py', ['json/tool.py', 'json/tool/__main__.py']],
  ['', []],
  ['"open quote', []],
])('%s', (line, files) => {
  expect(named(line).sort()).toEqual([...files].sort());
});

// A redirection may be anywhere in a command, and is none of its words.
test.each<[string, string[]]>([
  ['bash < /dev/null check.sh', ['check.sh']],
  ['bash </dev/null check.sh', ['check.sh']],
  ['bash <out.md -e check.sh', ['check.sh']],
  ['bash 0<out.md check.sh', ['check.sh']],
  ['bash 3<out.md check.sh', ['check.sh']],
  ['bash 10<out.md check.sh', ['10', 'check.sh']],
  ['bash {in}<out.md check.sh', ['check.sh', '{in}']],
  ['bash - </dev/null check.sh', ['check.sh']],
  ['bash <<EOF check.sh', ['check.sh']],
  ['bash <<EOF check.sh\ntext\nEOF', ['check.sh']],
  ['bash <<-"EOF" check.sh\ntext\nEOF', ['check.sh']],
  ['bash <<- EOF check.sh\ntext\nEOF', ['check.sh']],
  ['bash <<<text check.sh', ['check.sh']],
  ['node < out.md check.cjs', ['check.cjs']],
  ['python3 <out.md check.py', ['check.py']],
  ['perl <out.md check.pl', ['check.pl']],
  ['xargs -n1 bash < /dev/null check.sh', ['check.sh']],
  ['bash <>out.md check.sh', ['check.sh']],
  ['bash <&3 check.sh', ['check.sh']],
  ['bash <&- check.sh', ['check.sh']],
  ['bash >out.md check.sh', ['check.sh']],
  ['bash >>out.md check.sh', ['check.sh']],
  ['bash >|out.md check.sh', ['check.sh']],
  ['bash 2>| out.md check.sh', ['check.sh']],
  ['bash &>>out.md check.sh', ['check.sh']],
  ['bash >&out.md check.sh', ['check.sh']],
  ['bash 2>&1 check.sh', ['check.sh']],
  ['bash {log}>out.md check.sh', ['check.sh', '{log}']],
  ['bash 2> >(tee out.md) check.sh', ['check.sh']],
  ['bash < <(cat out.md) check.sh', ['check.sh']],
  ['bash --rcfile <(true) check.sh', ['check.sh']],
  ['make -f <out.md ci.mk', [...MAKE, 'ci.mk']],
  ['<out.md npm test', ['package.json', '.npmrc']],
  ["bash <out.md -c 'bash check.sh'", ['check.sh']],
  ["bash -c 10<out.md 'bash check.sh'", ['check.sh']],
  // What is redirected is the program only where nothing else is.
  ['bash < check.sh', ['check.sh']],
  ['bash <> check.sh', ['check.sh']],
  ['bash -e <check.sh 2>log', ['check.sh']],
  ['bash 3<check.sh /dev/fd/3', ['check.sh']],
  ['. /dev/fd/3 3<check.sh', ['check.sh']],
  ['exec <check.sh; bash -e', ['check.sh']],
  ['(bash -e) <check.sh', ['check.sh']],
  ['{ bash -e; } <check.sh', ['check.sh']],
  ['if true; then bash -e; fi <check.sh', ['check.sh']],
  ['bash -e < <(cat check.sh)', ['check.sh']],
  ['bash --rcfile <(cat a.sh) b.sh', ['a.sh', 'b.sh']],
  ['. <(cat check.sh)', ['check.sh']],
  ['cat check.sh | tee >(bash -e)', ['check.sh']],
  ['cat check.sh > >(bash -e)', ['check.sh']],
  ['bash <<< "bash check.sh"', ['check.sh']],
  ['bash <<< ./check.sh', ['./check.sh']],
  ['make -f - <ci.mk', [...MAKE, '-', 'ci.mk']],
  ['awk -f /dev/stdin <x.awk', ['/dev/stdin', 'x.awk']],
  ['true > "$(bash check.sh)"', ['check.sh']],
  ['true < "$(bash check.sh)"', ['check.sh']],
  // What is only data stays out.
  ['bash < check.sh; grep -q x < out.py', ['check.sh']],
  ['grep -q x < out.sh', []],
  ['node --test; while read -r x; do test -s "$x"; done < out.sh', []],
  ['python3 check.py <(cat out.sh)', ['check.py']],
])('redirections: %s', (line, files) => {
  verifies('JOBS-X.25');
  expect(named(line).sort()).toEqual([...files].sort());
});

// A command inside another one does not end it.
test.each<[string, string[]]>([
  ['`pwd`/check.sh', ['check.sh']],
  ['$(pwd)/check.sh', ['check.sh']],
  ['"`pwd`/check.sh"', ['check.sh']],
  ['bash `pwd`/check.sh', ['check.sh']],
  ['bash $(git rev-parse --show-toplevel)/check.sh', ['check.sh']],
  ['bash "$(git rev-parse --show-toplevel)/check.sh"', ['check.sh']],
  ['bash "$(dirname "$0")/check.sh"', ['check.sh']],
  ['bash --rcfile "$(true)" check.sh', ['check.sh']],
  ['bash --rcfile $(true) check.sh', ['check.sh']],
  ['bash --rcfile `(true)` check.sh', ['check.sh']],
  ['echo $( (bash a.sh) ) $(bash b.sh); bash c.sh', ['a.sh', 'b.sh', 'c.sh']],
  ['echo $(case x in x) bash a.sh;; esac)', ['a.sh']],
  ['echo $(( 1 < 2 )); bash check.sh', ['check.sh']],
  // What only looks like the text of a here-document.
  ['echo \'<<X\'\nbash "check.sh"', ['check.sh']],
  ['echo $((1<<2))\nbash "check.sh"\n2', ['check.sh']],
  [`echo \${x:-<<X}\nbash "check.sh"\nX`, ['check.sh']],
  ['cat <<X\n<<Y\nX\nbash "check.sh"\nY', ['check.sh']],
  ["cat <<X\nit's `\nX\nbash `pwd`/check.sh", ['check.sh']],
])('commands inside others: %s', (line, files) => {
  verifies('JOBS-X.25');
  expect(named(line).sort()).toEqual([...files].sort());
});

// A line that copies a file and runs the copy runs what was copied.
test.each<[string, string[]]>([
  ['ln -sf check.sh l.sh; bash l.sh', ['check.sh', 'l.sh']],
  ['cp check.sh x.sh; bash x.sh', ['check.sh', 'x.sh']],
  ['cat check.sh >x.sh; bash x.sh', ['check.sh', 'x.sh']],
  ['sed s/a/b/ check.sh >x.sh; bash x.sh', ['check.sh', 'x.sh']],
  ['grep -c x src/app.ts >count.md; bash check.sh', ['check.sh']],
  ['cp out.md copy.md; bash check.sh', ['check.sh']],
  ['git -c alias.x="!bash check.sh" x', ['check.sh']],
  ['git -c alias.x=!./check.sh x', ['./check.sh']],
  ['git -c core.pager="bash check.sh" log', ['check.sh']],
  ['git commit -m "make it run"', []],
])('copies and settings: %s', (line, files) => {
  verifies('JOBS-X.25');
  expect([...new Set(named(line))].sort()).toEqual([...files].sort());
});

test('a path anywhere in a line counts if the file is executable', () => {
  expect(named('find . -exec tools/x {} +', 'executable')).toEqual(['tools/x']);
  expect(named('run-all --with=./tools/x', 'executable')).toEqual(['./tools/x']);
});

test('a line that is too long to judge gives no result', () => {
  expect(filesNamedIn('./a.sh;'.repeat(2000))).toHaveLength(1);
  expect(filesNamedIn('./a.sh;'.repeat(3000))).toBeNull();
  const many = Array.from({ length: 100 }, (_, index) => `./${index}.sh`).join(';');
  expect(filesNamedIn(many)).toBeNull();
  expect(filesNamedIn(`x ${'node -x '.repeat(2000)}`)).toBeNull();
  const again = (code: string) => `env ${'sh '.repeat(500)}-c ${JSON.stringify(code)}`;
  expect(filesNamedIn(again(again(again('./x.sh'))))).toBeNull();
});
