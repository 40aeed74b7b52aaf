// The three bodies of tools, a folder each. A server can be told to show some of them, because
// every description costs each agent context. Apart from `table.ts`, because the commands that
// start a server know their names before anything heavy is loaded.

export const TOOLSETS = ['jobs', 'guides', 'team'] as const;
export type Toolset = (typeof TOOLSETS)[number];
