// The three toolsets, a folder each. A server can be started with some of them, because every
// description costs each agent context. Not in `table.ts`, because commands need the names before
// they load the engine.

export const TOOLSETS = ['jobs', 'guides', 'team'] as const;
export type Toolset = (typeof TOOLSETS)[number];
