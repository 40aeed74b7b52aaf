// The completion script for zsh: to be evaluated, or kept as `_deepwork` in a folder of `fpath`.

import type { TypedCommand } from './commands.ts';
import { shellTable } from './shell-table.ts';

export function zshScript(commands: readonly TypedCommand[]): string {
  return `#compdef deepwork
# Completion of deepwork for zsh. In ~/.zshrc, after compinit:
#   eval "$(deepwork completion zsh)"

${shellTable(commands)}

_deepwork() {
  local cur=\${words[CURRENT]} command= flag= choices= word
  local -i i place=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $flag ]]; then
      flag=
    elif [[ $word == -- ]]; then
      _command_names -e
      return
    elif [[ $word == -*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      [[ -n "$(_deepwork_values "$command" "$word")" ]] && flag=$word
    elif [[ -z $command ]]; then
      command=$word
    else
      place=$((place + 1))
    fi
  done
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=\${cur%%=*}
    compset -P '*='
  fi
  if [[ -n $flag ]]; then
    choices="$(_deepwork_values "$command" "$flag")"
  elif [[ $cur == -* ]]; then
    choices="$(_deepwork_flags "$command")"
  else
    choices="$(_deepwork_places "$command" "$place")"
  fi
  case $choices in
    @folder) _files -/ ;;
    @file) _files ;;
    @text | '') ;;
    '@list '*)
      compset -P '*,'
      compadd -- \${=choices#@list }
      ;;
    *) compadd -- \${=choices} ;;
  esac
}

if [[ $funcstack[1] == _deepwork ]]; then
  _deepwork "$@"
else
  compdef _deepwork deepwork
fi
`;
}
