// Parses a `text/event-stream` as it arrives. The browser's own EventSource hides heartbeats, so it
// cannot tell an idle server from a connection that died while the machine slept.

export interface StreamEvent {
  readonly id: string | null;
  readonly data: string;
}

/** Takes text as it arrives; returns the events that are complete. */
export function openEventParser(): (chunk: string) => StreamEvent[] {
  let rest = '';
  let id: string | null = null;
  let data: string[] = [];
  return (chunk) => {
    const events: StreamEvent[] = [];
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ id, data: data.join('\n') });
        data = [];
        continue;
      }
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      if (field === 'id' && !value.includes('\0')) id = value;
    }
    return events;
  };
}
