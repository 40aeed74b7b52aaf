// Lets a command in the test's own process believe that it prints on a terminal of some width.

export async function onTerminal<T>(columns: number, run: () => Promise<T>): Promise<T> {
  const streams = [process.stdout, process.stderr];
  const before = streams.map((stream) =>
    ['isTTY', 'columns'].map((name) => ({
      stream,
      name,
      descriptor: Object.getOwnPropertyDescriptor(stream, name),
    })),
  );
  for (const stream of streams) {
    Object.defineProperty(stream, 'isTTY', { value: true, configurable: true, writable: true });
    Object.defineProperty(stream, 'columns', {
      value: columns,
      configurable: true,
      writable: true,
    });
  }
  try {
    return await run();
  } finally {
    for (const { stream, name, descriptor } of before.flat()) {
      Reflect.deleteProperty(stream, name);
      if (descriptor !== undefined) Object.defineProperty(stream, name, descriptor);
    }
  }
}
