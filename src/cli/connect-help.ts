// What a person sees when a server over HTTP has started: where it is, and what to paste
// to connect an agent.

import { VERSION } from '../version.ts';

export interface Greeting {
  readonly projectRoot: string;
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** Where the owner's token is; null: none is needed. */
  readonly token: string | null;
}

export function greetPerson({ projectRoot, url, transport, token }: Greeting): string {
  const mcp = `${url}/mcp`;
  const address = transport === 'sse' ? `${url}/sse` : mcp;
  const other = transport === 'sse' ? `also ${mcp}` : `older clients: ${url}/sse`;
  const auth =
    token === null ? '' : `\nClients must send Authorization: Bearer with the token: ${token}\n`;
  return `deepwork ${VERSION} serves ${projectRoot}
  ${address}   (${other})
${auth}
Connect an agent; in its project, run or paste:
  Claude Code   claude mcp add --transport ${transport} deepwork ${address}
  Codex         codex mcp add deepwork --url ${mcp}
  Gemini CLI    gemini mcp add --transport ${transport} deepwork ${address}
  opencode      opencode.json       {"mcp": {"deepwork": {"type": "remote", "url": "${mcp}"}}}
  Cursor        .cursor/mcp.json    {"mcpServers": {"deepwork": {"url": "${address}"}}}

Then ask it: "Which deepwork workflows are there? Start one with me."
Ctrl-C stops the server. The log follows.
`;
}
