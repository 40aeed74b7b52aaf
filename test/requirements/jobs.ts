// What the jobs contract adds to seed 001, in our words.

import type { Requirements } from './requirement.ts';

export const JOBS = {
  'JOBS-X.1': {
    says: 'Of jobs with the same folder name the first one counts, in the list and at a start; a broken one hides later ones.',
    source: 'jobs contract, section 5',
  },
  'JOBS-X.2': {
    says: 'Folders for jobs that the environment names are trimmed; blank and missing ones are skipped.',
    source: 'jobs contract, section 5',
  },
  'JOBS-X.3': {
    says: 'Every problem of a job.yml is reported at once, with line and column, and none can harm the server.',
    source: 'jobs contract, section 4',
  },
  'JOBS-X.4': {
    says: 'A start that fails leaves no session, no stack entry and no branch.',
    source: 'jobs contract, section 6',
  },
  'JOBS-X.5': {
    says: 'Starts at the same time do not mix.',
    source: 'jobs contract, section 8',
  },
  'JOBS-X.6': {
    says: 'The branch of a workflow is created, reused, given a legal name, or left alone; trouble with git only warns.',
    source: 'jobs contract, section 10',
  },
  'JOBS-X.7': {
    says: 'Outputs given as a list are matched where that is unambiguous, and refused where it is not.',
    source: 'jobs contract, section 1',
  },
  'JOBS-X.8': {
    says: 'An output path that is empty, no regular file, outside the project or one of too many is refused.',
    source: 'jobs contract, section 3',
  },
  'JOBS-X.9': {
    says: 'A failed rule or check means needs_work, costs no attempt, and is skipped by no override and no switched-off gate.',
    source: 'jobs contract, section 4.1',
  },
  'JOBS-X.10': {
    says: 'A submission that is sent again gets the same answer, also after completion or restart, and counts once.',
    source: 'jobs contract, section 6',
  },
  'JOBS-X.11': {
    says: 'Calls that overlap during a slow review skip no step.',
    source: 'jobs contract, section 6',
  },
  'JOBS-X.12': {
    says: 'A job or instructions that vanish during a run leave the state as it was, and a later call goes on.',
    source: 'jobs contract, section 6',
  },
  'JOBS-X.13': {
    says: 'Concurrent steps can be submitted in any split of calls, also with shared names and one of them failing.',
    source: 'jobs contract, section 7',
  },
  'JOBS-X.14': {
    says: 'A step whose condition is false on arrival is skipped, be it the first, one in the middle, or all.',
    source: 'jobs contract, section 4.1',
  },
  'JOBS-X.15': {
    says: 'A reviewer sees five files inline and more as a list, binaries and long notes within bounds, and time that grows with them.',
    source: 'jobs contract, section 9',
  },
  'JOBS-X.16': {
    says: 'A review passes only if it says so and no criterion failed or is missing; without results by criterion its word decides.',
    source: 'jobs contract, section 9',
  },
  'JOBS-X.17': {
    says: 'A reviewer that hangs, floods, answers nonsense, fails or is missing is ended with all its children and costs no attempt.',
    source: 'jobs contract, section 9',
  },
  'JOBS-X.18': {
    says: 'A server killed at any write loses nothing that it acknowledged, and two servers lose nothing to each other.',
    source: 'jobs contract, section 8',
  },
  'JOBS-X.19': {
    says: 'A session whose owner is gone can be taken over by its id, or without one if it is the only one.',
    source: 'jobs contract, section 8',
  },
  'JOBS-X.20': {
    says: 'A spoilt view is rebuilt; a spoilt stream is set aside, reported and kept; a disk that cannot be written to changes nothing.',
    source: 'jobs contract, section 8',
  },
  'JOBS-X.21': {
    says: 'go_to_step goes back to an entry and clears progress from there, keeps files, and refuses to go forward.',
    source: 'jobs contract, section 3',
  },
  'JOBS-X.22': {
    says: 'get_active_workflow says where the work stands, also after a restart, and within a bounded size.',
    source: 'jobs contract, section 8',
  },
  'JOBS-X.23': {
    says: 'validate_step_outputs reports the problems that finished_step would, runs nothing and changes nothing.',
    source: 'jobs contract, section 2',
  },
  'JOBS-X.24': {
    says: 'Every flag and every key of the config has its effect, and flags beat the config.',
    source: 'jobs contract, section 10',
  },
  'JOBS-X.25': {
    says: 'Checks of a workspace that no one trusts never run, and a changed list of checks asks again.',
    source: 'jobs contract, section 4.1',
  },
  'JOBS-X.27': {
    says: 'Abort and redo from another process end a running check and its call within two seconds.',
    source: 'jobs contract, section 6',
  },
} as const satisfies Requirements;
