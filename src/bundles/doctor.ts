// What `deepwork doctor` needs. A bundle of its own, so that other commands do not load it.

export { runChecks } from '../doctor/run-checks.ts';
