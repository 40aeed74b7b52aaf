export declare function reporting<T>(progress: (message: string) => void, label: string, run: () => Promise<T>): Promise<T>;
