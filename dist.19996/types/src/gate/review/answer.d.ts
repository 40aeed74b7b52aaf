import type { Criterion } from '../../core/workflow.ts';
import type { CriterionResult } from '../verdict.ts';
export interface ReviewAnswer {
    readonly passed: boolean;
    readonly feedback: string;
    readonly results: readonly CriterionResult[];
}
/** The schema that `claude` is held to. */
export declare const ANSWER_SCHEMA: {
    type: string;
    properties: {
        passed: {
            type: string;
        };
        feedback: {
            type: string;
        };
        criteria_results: {
            type: string;
            items: {
                type: string;
                properties: {
                    criterion: {
                        type: string;
                    };
                    passed: {
                        type: string;
                    };
                    feedback: {
                        type: string[];
                    };
                };
                required: string[];
            };
        };
    };
    required: string[];
};
/** Null when the value is not an answer at all. */
export declare function readAnswer(value: unknown, criteria: readonly Criterion[]): ReviewAnswer | null;
