// The completion script for bash. It needs only bash itself, 3.2 or newer, and starts no program,
// so that completion is instant.

import type { TypedCommand } from './commands.ts';
import { shellTable } from './shell-table.ts';

export function bashScript(commands: readonly TypedCommand[]): string {
  return `# Completion of deepwork for bash. In ~/.bashrc:
#   eval "$(deepwork completion bash)"

${shellTable(commands)}

_deepwork() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command= flag= choices= word i place=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then
      continue
    elif [[ -n $flag ]]; then
      flag=
    elif [[ $word == -- ]]; then
      COMPREPLY=($(compgen -c -- "$cur"))
      return
    elif [[ $word == -* ]]; then
      [[ -n $(_deepwork_values "$command" "$word") ]] && flag=$word
    elif [[ -z $command ]]; then
      command=$word
    else
      place=$((place + 1))
    fi
  done
  # Bash splits --flag=value into words.
  [[ $cur == = ]] && cur=
  if [[ -n $flag ]]; then
    choices=$(_deepwork_values "$command" "$flag")
  elif [[ $cur == -* ]]; then
    choices=$(_deepwork_flags "$command")
  else
    choices=$(_deepwork_places "$command" "$place")
  fi
  case $choices in
    @folder | @file)
      local kind=-f found
      [[ $choices == @folder ]] && kind=-d
      compopt -o filenames 2> /dev/null
      while IFS= read -r found; do
        [[ -n $found ]] && COMPREPLY+=("$found")
      done <<< "$(compgen $kind -- "$cur")"
      ;;
    @text) ;;
    '@list '*)
      local before=
      [[ $cur == *,* ]] && before=\${cur%,*},
      COMPREPLY=($(compgen -P "$before" -W "\${choices#@list }" -- "\${cur##*,}"))
      ;;
    *) COMPREPLY=($(compgen -W "$choices" -- "$cur")) ;;
  esac
}

complete -F _deepwork deepwork
`;
}
