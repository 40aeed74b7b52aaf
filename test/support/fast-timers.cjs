// Loaded into a server with --require: timers of a second and more fire DEEPWORK_TEST_SPEED times
// faster. Clocks are not changed.

const speed = Number(process.env.DEEPWORK_TEST_SPEED);
const SHORTEST_MS = 1000;

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  const fast = (run, ms, ...given) => real(run, ms >= SHORTEST_MS ? ms / speed : ms, ...given);
  globalThis[name] = Object.assign(fast, real);
}
