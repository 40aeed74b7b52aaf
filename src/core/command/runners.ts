// Where runners such as npm and make look up their tasks, and the options that name another file or
// folder for that.

export interface Runner {
  /** All of them count: one may shadow another. */
  readonly files?: readonly string[];
  /** What follows the match, or the next word, is a file that is run. */
  readonly fileOption?: RegExp;
  /** What a file's name in the option lacks. */
  readonly endings?: readonly string[];
  /** What follows the match, or the next word, is the folder in which it works. */
  readonly folderOption?: RegExp;
}

const make: Runner = {
  files: ['GNUmakefile', 'makefile', 'Makefile'],
  // Long options may be shortened.
  fileOption: /^(?:-[bBdeikLmnpqrRsStvw]*f|--(?:fi|mak)[a-z]*(?:=|$))(.*)$/,
};

const awk: Runner = {
  fileOption: /^(?:-[bcnNPrsS]*[fEi]|--(?:file|exec|include)(?:=|$))(.*)$/,
};

const sed: Runner = { fileOption: /^(?:-[nErsuz]*f|--file(?:=|$))(.*)$/ };

const invoke: Runner = {
  files: ['tasks.py', 'tasks/__init__.py'],
  fileOption: /^(?:-c|--collection(?:=|$))(.*)$/,
  endings: ['.py', '/__init__.py'],
  folderOption: /^(?:-r|--search-root(?:=|$))(.*)$/,
};

const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: { files: ['package.json', '.npmrc'] },
  npx: { files: ['package.json', '.npmrc'] },
  pnpm: { files: ['package.json', '.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs'] },
  yarn: { files: ['package.json', '.yarnrc.yml', '.yarnrc'] },
  bun: { files: ['package.json', 'bunfig.toml'] },
  deno: {
    files: ['deno.json', 'deno.jsonc'],
    fileOption: /^(?:-c|--config(?:=|$))(.*)$/,
  },
  make,
  gmake: make,
  just: {
    files: ['justfile', 'Justfile', '.justfile'],
    fileOption: /^(?:-[nquvy]*f|--justfile(?:=|$))(.*)$/,
    folderOption: /^(?:-d|--working-directory(?:=|$))(.*)$/,
  },
  task: {
    files: [
      'Taskfile.yml',
      'taskfile.yml',
      'Taskfile.yaml',
      'taskfile.yaml',
      'Taskfile.dist.yml',
      'taskfile.dist.yml',
      'Taskfile.dist.yaml',
      'taskfile.dist.yaml',
    ],
    fileOption: /^(?:-[a-su-z]*t|--taskfile(?:=|$))(.*)$/,
    folderOption: /^-d(.*)$/,
  },
  rake: {
    files: ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'],
    fileOption: /^(?:-[AmnPqstv]*f|--rakefile(?:=|$))(.*)$/,
  },
  composer: {
    files: ['composer.json'],
    folderOption: /^(?:-[nqv]*d|--working-dir(?:=|$))(.*)$/,
  },
  tox: {
    files: ['tox.ini', 'tox.toml', 'setup.cfg', 'pyproject.toml'],
    fileOption: /^(?:-[pqrv]*c|--conf(?:=|$))(.*)$/,
  },
  nox: {
    files: ['noxfile.py'],
    fileOption: /^(?:-f|--noxfile(?:=|$))(.*)$/,
  },
  invoke,
  inv: invoke,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
  jq: { fileOption: /^(?:-[acCehjMnrsS]*f|--from-file(?:=|$))(.*)$/ },
};

/** By the name of the program; null if it is not known as a runner. */
export function runnerNamed(program: string): Runner | null {
  return Object.hasOwn(RUNNERS, program) ? (RUNNERS[program] ?? null) : null;
}

/** The values of an option, attached or in the next word. */
export function optionValues(words: readonly string[], option: RegExp | undefined): string[] {
  if (option === undefined) return [];
  return words.flatMap((word, at) => {
    const match = option.exec(word);
    const value = match === null ? undefined : match[1] || words[at + 1];
    return value === undefined ? [] : [value];
  });
}
