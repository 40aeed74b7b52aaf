// The completion script for fish: one line for each thing that can be typed, and a function that
// tests where on the command line the cursor is.

import type { Takes, TypedCommand } from './commands.ts';

/** `about` has the description of each command. */
export function fishScript(
  commands: readonly TypedCommand[],
  about: ReadonlyMap<string, string>,
): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap((command) => {
    const { name, flags, places } = command;
    return [
      `${NO_COMMAND} -a ${name} -d ${quoted(about.get(name) ?? '')}`,
      ...Object.entries(flags).map(
        ([flag, takes]) => `${after(name)} -l ${flag.slice(2)}${offerOf(takes)}`,
      ),
      ...places.flatMap((takes, index) => {
        const offered = offerOf(takes).replace(/^ -[xr]/, '');
        const at = takes.kind === 'file' ? after(name) : after(name, index);
        return offered === '' ? [] : [`${at}${offered}`];
      }),
    ];
  });
  return `# Completion of deepwork for fish. To keep it:
#   deepwork completion fish > ~/.config/fish/completions/deepwork.fish

function __deepwork_takes --description 'The flags of a command that take a value'
    switch "$argv"
${commands.flatMap(takers).join('\n')}
    end
end

function __deepwork_after --description 'Whether this command comes before the cursor, with this many words after it'
    set -l command ''
    set -l words 0
    set -l flag ''
    for word in (commandline -opc)[2..]
        if test -n "$flag"
            set flag ''
        else if test "$word" = --
            set command --
            break
        else if string match -q -- '-*' "$word"
            contains -- "$word" (__deepwork_takes $command); and set flag "$word"
        else if test -z "$command"
            set command "$word"
        else
            set words (math $words + 1)
        end
    end
    test "$command" = "$argv[1]"; or return
    set -q argv[2]; or return 0
    test $words -eq $argv[2]
end

complete -c deepwork -f
${NO_COMMAND} -l version -s v
${NO_COMMAND} -a help
complete -c deepwork -l help -s h
${after('help', 0)} -a '${names}'
${after('--')} -a '(__fish_complete_command)'
${lines.join('\n')}
`;
}

const NO_COMMAND = `complete -c deepwork -n '__deepwork_after ""'`;

/** `index`: how many words must follow the command. */
function after(command: string, index?: number): string {
  const place = index === undefined ? '' : ` ${index}`;
  return `complete -c deepwork -n '__deepwork_after ${command}${place}'`;
}

function takers({ name, flags }: TypedCommand): string[] {
  const taking = Object.entries(flags).filter(([, takes]) => takes.kind !== 'nothing');
  if (taking.length === 0) return [];
  const words = taking.map(([flag]) => flag).join(' ');
  return [`        case ${name}`, `            string split ' ' -- '${words}'`];
}

function offerOf(takes: Takes): string {
  switch (takes.kind) {
    case 'nothing':
      return '';
    case 'folder':
      return " -x -a '(__fish_complete_directories)'";
    case 'file':
      return ' -r -F';
    case 'text':
      return ' -x';
    case 'one of':
      return ` -x -a ${quoted(takes.words.join(' '))}`;
    case 'some of':
      return ` -x -a ${quoted(`(__fish_append , ${takes.words.join(' ')})`)}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
