import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metadata } from '@grpc/grpc-js';

/** What a piece of work cost: gRPC calls made, and SQL statements of this process and of all it called. */
export interface Cost {
  calls: number;
  statements: number;
}

/** Counts the SQL statements of a piece of work; libs/database has one. */
export type StatementCounter = <T>(work: () => Promise<T>) => Promise<{ result: T; statements: number }>;

const costKey = 'switchyard-cost';
const costs = new AsyncLocalStorage<Cost>();

/** Requests the trailer in the metadata of a call. Counting needs two async contexts, so other calls do without. */
export const requestCost = (metadata: Metadata): void => metadata.set(costKey, 'wanted');

/** Whether the caller wants to know what its call costs. */
export const isCostWanted = (metadata: Metadata): boolean => metadata.get(costKey).length > 0;

/** Passes on the request for the trailer, or the trailer. */
export function copyCost(from: Metadata, to: Metadata): void {
  for (const value of from.get(costKey)) to.set(costKey, value);
}

/** Runs `work` and returns its cost, nested calls included. */
export async function measureCost<T>(
  work: () => Promise<T>,
  countStatements?: StatementCounter,
): Promise<{ result: T; cost: Cost }> {
  const cost: Cost = { calls: 0, statements: 0 };
  const result = await costs.run(cost, async () => {
    if (countStatements === undefined) return work();
    const counted = await countStatements(work);
    cost.statements += counted.statements;
    return counted.result;
  });
  return { result, cost };
}

/** Adds the cost of a call to its trailing metadata. */
export const showCost = (trailer: Metadata, { calls, statements }: Cost): void =>
  trailer.set(costKey, `${calls} ${statements}`);

/** The running measurement of the caller, for calls that end outside its async context. */
export const runningCost = (): Cost | undefined => costs.getStore();

/** Adds one call and the cost in its trailer to a measurement. */
export function addCost(to: Cost, trailer: Metadata): void {
  const [calls = 0, statements = 0] = String(trailer.get(costKey)[0] ?? '0 0')
    .split(' ')
    .map(Number);
  to.calls += 1 + calls;
  to.statements += statements;
}
