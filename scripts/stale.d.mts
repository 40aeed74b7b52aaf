export function newerThanBuild(root: string): string | null;
