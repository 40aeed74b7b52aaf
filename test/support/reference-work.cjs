// A fixed piece of work of about ten milliseconds on a quiet machine. A busy machine needs more
// processor time for the same work, too, since its cores and caches are shared. So what may take
// 200 ms is compared with this, measured in the same thread at about the same time.

/** Complete in itself, because it also runs in a browser. */
function referenceWork() {
  const members = Array.from({ length: 5000 }, (_, at) => ({ at, text: `${at}`, rest: [at] }));
  return JSON.parse(JSON.stringify(members)).length;
}

/** How many pieces of reference work a person may be kept waiting. */
const MAX_PIECES = 20;

module.exports = { MAX_PIECES, referenceWork };
