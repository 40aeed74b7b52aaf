// The three bodies of tools. A server can be told to show some of them, because every
// description costs each agent context.

export const TOOLSETS = ['jobs', 'guides', 'team'] as const;
export type Toolset = (typeof TOOLSETS)[number];
