export declare function jobFolders(projectRoot: string, env: NodeJS.ProcessEnv, standardJobsDir: string | null): string[];
