// Finds groups of steps that depend on one another (Tarjan's algorithm, without recursion, because
// a hostile file may chain thousands of steps). One problem per group, at its first step in the
// file.

import type { Located } from '../reader/fields.ts';
import type { ParsedStep } from './parsed-step.ts';

export interface Cycle {
  readonly step: ParsedStep;
  /** The dependency through which the step depends on itself. */
  readonly through: Located;
}

export function findCycles(byId: ReadonlyMap<string, ParsedStep>): Cycle[] {
  const groupOf = groupSteps(byId);
  const sizes = new Map<number, number>();
  for (const group of groupOf.values()) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const reported = new Set<number>();
  const cycles: Cycle[] = [];
  for (const [id, step] of byId) {
    const group = groupOf.get(id) ?? 0;
    if (reported.has(group)) continue;
    const through = step.dependencies.find(({ value }) =>
      sizes.get(group) === 1 ? value === id : groupOf.get(value) === group,
    );
    if (!through) continue;
    reported.add(group);
    cycles.push({ step, through });
  }
  return cycles;
}

interface Visit {
  readonly id: string;
  readonly order: number;
  readonly dependencies: readonly Located[];
  /** The earliest step on the stack that can be reached from here. */
  lowest: number;
  next: number;
}

/** A number for every step, the same for steps that can reach each other. */
function groupSteps(byId: ReadonlyMap<string, ParsedStep>): Map<string, number> {
  const groupOf = new Map<string, number>();
  const orderOf = new Map<string, number>();
  const open: string[] = [];
  let groups = 0;

  const enter = (id: string): Visit => {
    const order = orderOf.size;
    orderOf.set(id, order);
    open.push(id);
    const dependencies = byId.get(id)?.dependencies ?? [];
    return { id, order, dependencies, lowest: order, next: 0 };
  };

  const close = (visit: Visit) => {
    if (visit.lowest !== visit.order) return;
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      groupOf.set(id, groups);
      if (id === visit.id) break;
    }
    groups++;
  };

  for (const start of byId.keys()) {
    if (orderOf.has(start)) continue;
    const path = [enter(start)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const dependency = visit.dependencies[visit.next++]?.value;
      if (dependency === undefined) {
        close(visit);
        path.pop();
        const parent = path.at(-1);
        if (parent) parent.lowest = Math.min(parent.lowest, visit.lowest);
      } else if (byId.has(dependency)) {
        const order = orderOf.get(dependency);
        if (order === undefined) path.push(enter(dependency));
        else if (!groupOf.has(dependency)) visit.lowest = Math.min(visit.lowest, order);
      }
    }
  }
  return groupOf;
}
