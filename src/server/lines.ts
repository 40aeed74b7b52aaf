// Splits a stream of bytes into lines. A line past the limit is dropped as it arrives, so that
// no sender can make us hold more than one line in memory.

const MAX_LINE_BYTES = 10 * 1024 * 1024;

export interface LineSink {
  line(text: string): void;
  tooLong(): void;
}

export function lineSplitter(sink: LineSink, limit = MAX_LINE_BYTES): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let dropping = false;

  function end(): void {
    if (dropping) sink.tooLong();
    else if (length > 0) sink.line(Buffer.concat(parts, length).toString('utf8'));
    parts = [];
    length = 0;
    dropping = false;
  }

  return (chunk) => {
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(10, from);
      const to = newline === -1 ? chunk.length : newline;
      length += to - from;
      if (length > limit) {
        dropping = true;
        parts = [];
      } else if (to > from) {
        parts.push(chunk.subarray(from, to));
      }
      if (newline === -1) return;
      end();
      from = newline + 1;
    }
  };
}
