import type { GateRequest } from './request.ts';
import { type Verdict } from './verdict.ts';
export declare function judge(request: GateRequest): Promise<Verdict>;
