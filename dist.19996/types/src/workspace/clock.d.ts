export type Clock = () => string;
export declare function systemClock(): Clock;
