/** `unknown`: it ran on another machine or in another container; nobody here can tell. */
export type Liveness = 'alive' | 'gone' | 'unknown';
export declare function ownProcess(): string;
export declare function livenessOf(token: string): Liveness;
