// Printed when the HTTP server has started: its address, and what to paste to connect an
// agent.

import { VERSION } from '../../version.ts';

export interface Greeting {
  readonly projectRoot: string;
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** How to set the owner's token in a shell; null if none is needed. */
  readonly token: string | null;
}

export function greetPerson({ projectRoot, url, transport, token }: Greeting): string {
  const mcp = `${url}/mcp`;
  const address = transport === 'sse' ? `${url}/sse` : mcp;
  const other = transport === 'sse' ? `also ${mcp}` : `older clients: ${url}/sse`;
  // Browsers cannot send a token.
  const page =
    token === null
      ? `  ${url}/   (the page: runs, questions, team)\n  ${url}/questions   (questions from agents, without scripts)\n`
      : '  deepwork dashboard   (opens the page: runs, questions, team)\n';
  const auth =
    token === null
      ? ''
      : `\nEvery request needs a token; agents that \`deepwork launch\` runs get one of their own.
${token}
`;
  const header = token === null ? '' : ' --header "Authorization: Bearer $DEEPWORK_TOKEN"';
  const codex = token === null ? '' : ' --bearer-token-env-var DEEPWORK_TOKEN';
  const headers = (value: string) =>
    token === null ? '' : `, "headers": {"Authorization": "Bearer ${value}"}`;
  return `deepwork ${VERSION} serves ${projectRoot}
  ${address}   (${other})
${page}${auth}
Connect an agent that works in ${projectRoot}
(for another project, start a server with --path DIR). There, run or paste:
  Claude Code   claude mcp add --transport ${transport} deepwork ${address}${header}
  Codex         codex mcp add deepwork --url ${mcp}${codex}
  Gemini CLI    gemini mcp add --transport ${transport} deepwork ${address}${header}
  opencode      opencode.json       {"mcp": {"deepwork": {"type": "remote", "url": "${mcp}"${headers('{env:DEEPWORK_TOKEN}')}}}}
  Cursor        .cursor/mcp.json    {"mcpServers": {"deepwork": {"url": "${address}"${headers('${' + 'env:DEEPWORK_TOKEN}')}}}}

Then ask it: "Which deepwork workflows are there? Start one with me."
Ctrl-C stops the server. The log follows.
`;
}
