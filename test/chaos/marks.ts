// Every call that changes something carries a text of its own, with the agent's name in
// front: a goal, a note, an explanation, a body. By it the call is found in the journal.

export const markOf = (agent: string, what: string, number: number) => `${agent}/${what}-${number}`;
export const agentOfMark = (mark: string) => mark.split('/')[0] ?? '';
