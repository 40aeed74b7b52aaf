// Every call that changes something carries a unique text that begins with the agent's name: a
// goal, a note, an explanation, a body. It identifies the call in the journal.

export const markOf = (agent: string, what: string, number: number) => `${agent}/${what}-${number}`;
export const agentOfMark = (mark: string) => mark.split('/')[0] ?? '';
