// What the team contract asks, in our words.

import type { Requirements } from './requirement.ts';

export const TEAM = {
  'TEAM-1': {
    says: 'The identity header is read in all its forms; a repeated header and a colon in the name are refused.',
    source: 'team contract, section 1',
  },
  'TEAM-2': {
    says: 'Identity is decided anew by every request of a session.',
    source: 'team contract, section 1',
  },
  'TEAM-3': {
    says: 'Agents other than the coordinator see and may call six tools only, on every transport.',
    source: 'team contract, section 5',
  },
  'TEAM-4': {
    says: 'Arguments that a team tool does not know are refused; update_workflow_state ignores them.',
    source: 'team contract, section 5',
  },
  'TEAM-5': {
    says: 'Requests with a foreign Host or Origin, or of another content type, are refused and run nothing.',
    source: 'team contract, section 2',
  },
  'TEAM-6': {
    says: 'Only the exact path is served; wrong headers and versions are refused by their codes.',
    source: 'team contract, section 2',
  },
  'TEAM-7': {
    says: 'A session ends after 30 idle minutes; a running call or an open stream keeps it.',
    source: 'team contract, section 2',
  },
  'TEAM-8': {
    says: 'A server that others could reach does not start without tokens.',
    source: 'team contract, section 2',
  },
  'TEAM-9': {
    says: "An agent's token is its identity, and is void once its program has ended.",
    source: 'team contract, section 2',
  },
  'TEAM-10': {
    says: 'launch forwards signals, and exits as its program did, or with codes of its own.',
    source: 'team contract, section 3',
  },
  'TEAM-11': {
    says: 'Launches at the same time share one server, and a dead server is replaced.',
    source: 'team contract, section 3',
  },
  'TEAM-12': {
    says: 'Task, note and status are taken over by their rules, and a status that waits for a person stays.',
    source: 'team contract, section 6',
  },
  'TEAM-13': {
    says: 'No one is done while todos of theirs are pending, the coordinator included.',
    source: 'team contract, section 6',
  },
  'TEAM-14': {
    says: 'A refused update leaves journal and state file as they were.',
    source: 'team contract, section 6',
  },
  'TEAM-15': {
    says: '160 updates at once leave 160 notes.',
    source: 'team contract, section 6',
  },
  'TEAM-16': {
    says: 'The todo tools count what is not completed, and show each item with the symbol of its status.',
    source: 'team contract, section 6',
  },
  'TEAM-17': {
    says: 'The agents of a team come from the first source that is there; a broken source is an error.',
    source: 'team contract, section 4',
  },
  'TEAM-18': {
    says: 'Messages reach known agents and models, never the sender itself, up to 65536 bytes.',
    source: 'team contract, section 7',
  },
  'TEAM-19': {
    says: "A message is from the sender's current model where models are in use, also with two at once.",
    source: 'team contract, section 7',
  },
  'TEAM-20': {
    says: 'Many clients on several servers get ids without gaps, and no acknowledged message is missing.',
    source: 'team contract, section 7',
  },
  'TEAM-21': {
    says: 'A server killed anywhere loses no acknowledged message, and ids go on without a gap.',
    source: 'team contract, section 7',
  },
  'TEAM-22': {
    says: 'Readers that check the same inbox at once get each message once among them.',
    source: 'team contract, section 7',
  },
  'TEAM-23': {
    says: 'A message whose reader left before the answer is delivered again under the same id.',
    source: 'team contract, section 7',
  },
  'TEAM-24': {
    says: 'A message to an agent reaches each of its models once; one to a model reaches it alone.',
    source: 'team contract, section 7',
  },
  'TEAM-25': {
    says: "Inbox and outbox are oldest first; the coordinator's view is newest first and shows what was read.",
    source: 'team contract, section 7',
  },
  'TEAM-26': {
    says: 'Pruning keeps what is unread, and ids are never used again.',
    source: 'team contract, section 7',
  },
  'TEAM-27': {
    says: 'A question that cannot be asked is refused, and an answer that does not fit leaves it open.',
    source: 'team contract, section 8',
  },
  'TEAM-28': {
    says: 'A question can be answered on every route, and who answered, where and when is kept.',
    source: 'team contract, section 8',
  },
  'TEAM-29': {
    says: 'Of two answers the first wins, and the other person sees that.',
    source: 'team contract, section 8',
  },
  'TEAM-30': {
    says: 'To decline or to cancel is no answer; the question goes on waiting.',
    source: 'team contract, section 8',
  },
  'TEAM-31': {
    says: 'Waiting shows progress; when it ends without an answer the question stays open and nothing is invented.',
    source: 'team contract, section 8',
  },
  'TEAM-32': {
    says: 'A late answer goes once to the same questions and never to others.',
    source: 'team contract, section 8',
  },
  'TEAM-33': {
    says: 'The status returns once every open question is answered.',
    source: 'team contract, section 8',
  },
  'TEAM-34': {
    says: 'A forged or foreign request state is refused, and the question stays open.',
    source: 'team contract, section 8',
  },
  'TEAM-35': {
    says: 'Agents cannot answer questions.',
    source: 'team contract, section 8',
  },
  'TEAM-36': {
    says: 'The finders try their rules in order, and every label that they list gives the content.',
    source: 'team contract, section 9',
  },
  'TEAM-37': {
    says: 'Front matter is read in every form; broken front matter counts as none.',
    source: 'team contract, section 9',
  },
  'TEAM-38': {
    says: 'The finders never give a file from outside of their folders.',
    source: 'team contract, section 9',
  },
  'TEAM-39': {
    says: 'The first folder wins, and a new file is found by the next call.',
    source: 'team contract, section 9',
  },
  'TEAM-40': {
    says: 'Fields of others in the state file survive our writes beside a foreign writer, and no reader sees half a file.',
    source: 'team contract, section 10',
  },
  'TEAM-41': {
    says: 'A state file that cannot be read stays as it is and stops the tools until it is repaired.',
    source: 'team contract, section 10',
  },
  'TEAM-42': {
    says: 'When others changed our fields the journal wins, and what they wrote is kept.',
    source: 'team contract, section 10',
  },
  'TEAM-43': {
    says: 'Without a journal an existing state file is taken over: ids go on, and what was read stays read.',
    source: 'team contract, section 10',
  },
} as const satisfies Requirements;
