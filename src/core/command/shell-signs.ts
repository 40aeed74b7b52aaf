// Some commands are run by a shell, others are split into words and run directly. Shell
// syntax in the latter would be passed on as arguments; this warns of it.

const SIGNS = ';|><&$`';

/** The warning for a command that is run without a shell; null if it has no shell syntax. */
export function shellSignsIn(command: string): string | null {
  const sign = unquotedSign(command);
  if (sign === null) return null;
  return `is run without a shell: '${sign}' is passed on as it is; put it into a script, or write sh -c '…'`;
}

function unquotedSign(text: string): string | null {
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\\' && quote !== "'") at++;
    else if (quote !== null) {
      if (char === quote) quote = null;
    } else if (char === '"' || char === "'") quote = char;
    else if (SIGNS.includes(char)) return char;
  }
  return null;
}
