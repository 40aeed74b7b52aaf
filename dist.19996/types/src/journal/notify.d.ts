import type { Unsubscribe } from './journal.ts';
export interface Notifier {
    watch(prefix: string, onChange: (stream: string) => void): Unsubscribe;
    changed(stream: string): void;
}
export declare function createNotifier(): Notifier;
