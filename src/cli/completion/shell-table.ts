// The table of commands as shell functions for bash and zsh. Each prints what can be typed next:
// words, or one of these markers for what the shell completes itself.

import { flagsOf, OWN_FLAGS, type Takes, type TypedCommand } from './commands.ts';

const FOLDER = '@folder';
const FILE = '@file';
const TEXT = '@text';
const LIST = '@list';

/** Three functions: the flags of a command, the values of a flag, the arguments at a position. */
export function shellTable(commands: readonly TypedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const flags = commands.map((command) => line(command.name, flagsOf(command).join(' ')));
  const values = commands.flatMap(({ name, flags: own }) =>
    Object.entries(own)
      .filter(([, takes]) => takes.kind !== 'nothing')
      .map(([flag, takes]) => line(`${name} ${flag}`, wordsOrMarker(takes))),
  );
  const places = commands.flatMap(({ name, places: own }) =>
    own.map((takes, index) => {
      const isLast = index === own.length - 1;
      return `${pattern(`${name} `)}${isLast ? '*' : index}) echo '${wordsOrMarker(takes)}' ;;`;
    }),
  );
  return [
    choice('_deepwork_flags', '$1', [...flags, line('', OWN_FLAGS.join(' '))]),
    choice('_deepwork_values', '$1 $2', values),
    choice('_deepwork_places', '$1 $2', [
      line(' 0', [...names, 'help'].join(' ')),
      line('help 0', names.join(' ')),
      ...places,
    ]),
  ].join('\n\n');
}

function choice(name: string, on: string, lines: readonly string[]): string {
  return `${name}() {\n  case "${on}" in\n${lines.map((each) => `    ${each}`).join('\n')}\n  esac\n}`;
}

function line(key: string, output: string): string {
  return `${pattern(key)}) echo '${output}' ;;`;
}

function pattern(key: string): string {
  return `'${key}'`;
}

function wordsOrMarker(takes: Takes): string {
  switch (takes.kind) {
    case 'folder':
      return FOLDER;
    case 'file':
      return FILE;
    case 'one of':
      return takes.words.join(' ');
    case 'some of':
      return `${LIST} ${takes.words.join(' ')}`;
    case 'nothing':
    case 'text':
      return TEXT;
  }
}
