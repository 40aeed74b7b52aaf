// What `deepwork doctor` needs, in one bundle of its own: no other command pays for it.

export { runChecks } from '../doctor/run-checks.ts';
