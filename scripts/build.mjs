// Builds dist/:
//   main.cjs        the command and its hooks: small, starts at once
//   commands.cjs    every other command
//   engine.cjs      everything heavy, loaded by main when needed
//   engine-http.cjs the same for an HTTP server, and for `deepwork run`
//   engine-hook.cjs what a client's hook needs while a session is open
//   init.cjs        what only `deepwork init` needs
//   doctor.cjs      what only `deepwork doctor` needs
//   postgres.cjs    the client of a database, read only where one is configured
//   board.cjs       what `deepwork status` and `deepwork history` need
//   index.js        the library, its types and its source map
//   page/           the web page: index.html, the service worker, and files with hashed names
//   LICENSES.txt    of the packages that these contain

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { licencesOf } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
/** Only the bundles, into the dist/ that is there: for test/mutants. */
const bundlesOnly = process.argv.includes('--bundles');
/** @satisfies {import('esbuild').BuildOptions} */
const common = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  metafile: true,
  define: { BUILD_ID: JSON.stringify(buildId()) },
  alias: { '@modelcontextprotocol/server/_shims': './src/server/sdk-shims.ts' },
  logLevel: 'warning',
});

/** Keeps packages out of the library's source map, which would be three times as large with them. */
const NO_MAP = btoa('{"version":3,"sources":[""],"sourcesContent":[""],"mappings":"AAAA"}');
const mapOnlyOurs = {
  name: 'map-only-ours',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.*js$/ }, ({ path: file }) => ({
      contents: `${readFileSync(file, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NO_MAP}`,
    })),
};

if (process.stdout.isTTY) process.stdout.write('Building deepwork …\n');

// Built in a folder beside it and moved into place, so that a server started meanwhile finds
// complete files.
const fresh = `${dist}.${process.pid}`;
rmSync(fresh, { recursive: true, force: true });
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));

const bundles = await Promise.all([
  build({
    ...common,
    entryPoints: ['src/main.ts'],
    outfile: path.join(fresh, 'main.cjs'),
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
    // `require` instead: `import()` of a file starts the loader of modules, which is slow.
    supported: { 'dynamic-import': false },
  }),
  ...['commands', 'engine', 'engine-http', 'engine-hook', 'init', 'doctor', 'board'].map((name) =>
    build({
      ...common,
      // jsonc-parser's other build loads its parts by names that no bundler sees.
      mainFields: ['init', 'doctor'].includes(name) ? ['module', 'main'] : ['main', 'module'],
      entryPoints: [name === 'commands' ? 'src/cli/commands.ts' : `src/bundles/${name}.ts`],
      outfile: path.join(fresh, `${name}.cjs`),
      format: 'cjs',
      // The client of the database is read only where one is configured.
      supported: { 'dynamic-import': false },
      plugins: [apart('driver', 'postgres')],
      // As src/bundles/load-bundle.ts calls it.
      banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
      footer: { js: '})' },
    }),
  ),
  build({
    ...common,
    entryPoints: ['src/journal/postgres/driver.ts'],
    outfile: path.join(fresh, 'postgres.cjs'),
    format: 'cjs',
  }),
  build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: path.join(fresh, 'index.js'),
    format: 'esm',
    minify: false,
    sourcemap: true,
    plugins: [apart('driver', 'postgres'), mapOnlyOurs],
    banner: {
      js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
    },
  }),
]);
if (bundlesOnly) {
  chmodSync(path.join(fresh, 'main.cjs'), 0o755);
  for (const file of readdirSync(fresh)) renameSync(path.join(fresh, file), path.join(dist, file));
  process.exit();
}

/** The files that the page contains. */
const inPage = new Set();
await buildWithVite({
  configFile: path.join(root, 'src/page/front/vite.config.ts'),
  build: { outDir: path.join(fresh, 'page') },
  plugins: [{ name: 'contents', moduleParsed: ({ id }) => void inPage.add(id) }],
});

const inBundles = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
writeFileSync(path.join(fresh, 'LICENSES.txt'), licencesOf([...inBundles, ...inPage]));

declareTypes(fresh);
chmodSync(path.join(fresh, 'main.cjs'), 0o755);

// File by file, the command last, so that a server started meanwhile always finds one.
mkdirSync(dist, { recursive: true });
const files = readdirSync(fresh).sort(
  (a, b) => Number(a === 'main.cjs') - Number(b === 'main.cjs'),
);
for (const file of files) {
  if (file === 'page') replacePage(path.join(fresh, file), path.join(dist, file));
  else renameSync(path.join(fresh, file), path.join(dist, file));
}
for (const file of readdirSync(dist)) {
  if (!files.includes(file)) rmSync(path.join(dist, file), { recursive: true });
}

/** What the new index.html names is there before it, and what only the old one named goes last. */
function replacePage(from, to) {
  const assets = readdirSync(path.join(from, 'assets'));
  cpSync(path.join(from, 'assets'), path.join(to, 'assets'), { recursive: true });
  for (const file of readdirSync(from)) {
    if (file !== 'assets') renameSync(path.join(from, file), path.join(to, file));
  }
  for (const file of readdirSync(path.join(to, 'assets'))) {
    if (!assets.includes(file)) rmSync(path.join(to, 'assets', file));
  }
}

/** A hash of what the bundles are built from: their code caches are named by it. */
function buildId() {
  const hash = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')));
  const files = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile() && !/\.test\.tsx?$/.test(each.name))) {
    hash.update(file.name).update(readFileSync(path.join(file.parentPath, file.name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Leaves a module out of a bundle: it is loaded from the file of that name beside it. */
function apart(name, file = name) {
  return {
    name: 'apart',
    setup: ({ onResolve }) =>
      onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, () => ({
        path: `./${file}.cjs`,
        external: true,
      })),
  };
}

/** The library's types are in one file; its internals are not declared. */
function declareTypes(folder) {
  const types = path.join(folder, 'types');
  execFileSync(
    process.execPath,
    [
      path.join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      'tsconfig.build.json',
      '--outDir',
      types,
    ],
    { stdio: 'inherit', cwd: root },
  );
  renameSync(path.join(types, 'src/index.d.ts'), path.join(folder, 'index.d.ts'));
  rmSync(types, { recursive: true });
}
