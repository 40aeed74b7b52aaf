// The form of the events of every stream: a type, the time, and data that depends on the type.

interface EventOf<Type, Data> {
  readonly type: Type;
  readonly at: string;
  readonly data: Data;
}

/** The events of a stream, given the data of each type. */
export type EventsOf<DataOf> = {
  [Type in keyof DataOf]: EventOf<Type, DataOf[Type]>;
}[keyof DataOf];
