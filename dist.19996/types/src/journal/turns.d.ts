export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;
export declare function takeTurns(): InTurn;
