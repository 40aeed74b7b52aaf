// The script for fish, which has a line for each thing that can be typed.

import type { Takes, TypedCommand } from './commands.ts';

/** `about` says what each command does, in words. */
export function fishScript(
  commands: readonly TypedCommand[],
  about: ReadonlyMap<string, string>,
): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap((command) => {
    const { name, flags, places } = command;
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c deepwork -n __fish_use_subcommand -a ${name} -d ${quoted(about.get(name) ?? '')}`,
      ...Object.entries(flags).map(
        ([flag, takes]) => `complete -c deepwork ${here} -l ${flag.slice(2)}${after(takes)}`,
      ),
      ...places.flatMap((takes, index) => {
        const offered = after(takes).replace(' -x', '');
        const at = takes.kind === 'file' ? here : atPlace(name, index);
        return offered === '' ? [] : [`complete -c deepwork ${at}${offered}`];
      }),
    ];
  });
  return `# Completion of deepwork for fish. To keep it:
#   deepwork completion fish > ~/.config/fish/completions/deepwork.fish

function __deepwork_at --description 'How many words without a flag follow the command'
    set -l words (commandline -opc)
    set -l place -2
    for word in $words
        string match -q -- '-*' $word; or set place (math $place + 1)
    end
    test $place -eq $argv[1]
end

complete -c deepwork -f
complete -c deepwork -n __fish_use_subcommand -l version -s v
complete -c deepwork -l help -s h
complete -c deepwork -n __fish_use_subcommand -a help
complete -c deepwork -n '__fish_seen_subcommand_from help; and __deepwork_at 0' -a '${names}'
${lines.join('\n')}
`;
}

/** Its own words only: no other place takes them. */
function atPlace(name: string, index: number): string {
  return `-n '__fish_seen_subcommand_from ${name}; and __deepwork_at ${index}'`;
}

function after(takes: Takes): string {
  switch (takes.kind) {
    case 'nothing':
      return '';
    case 'folder':
      return " -x -a '(__fish_complete_directories)'";
    case 'file':
      return ' -F';
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
