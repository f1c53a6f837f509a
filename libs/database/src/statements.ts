import { AsyncLocalStorage } from 'node:async_hooks';
import { unguarded } from './call-guard';

/** One statement as it went to the server. */
export interface Statement {
  /** Name given by `named`, undefined for others. */
  name: string | undefined;
  text: string;
  /** Milliseconds until the server had answered. */
  milliseconds: number;
  failed: boolean;
}

interface Count {
  statements: number;
}

const counts = new AsyncLocalStorage<Count>();
const listeners = new Set<(statement: Statement) => void>();

/** BEGIN, COMMIT and ROLLBACK are left out: they say nothing about how the work grows with the rows. */
const transactionControl =
  /^\s*(begin|commit|rollback|start transaction|set transaction|savepoint|release savepoint)\b/i;

/** Calls `listener` after every statement of this process (metrics, tests); returns what removes it again. */
export function onStatement(listener: (statement: Statement) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Runs `work` and counts the SQL statements that it sends, through pg and through Prisma. */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: number }> {
  const outer = counts.getStore();
  const count: Count = { statements: 0 };
  try {
    // Awaited inside: a Prisma promise sends its statement only when it is first awaited.
    const result = await counts.run(count, async () => await work());
    return { result, statements: count.statements };
  } finally {
    if (outer) outer.statements += count.statements;
  }
}

/** Statements so far inside the innermost `countStatements`; undefined outside of any. */
export const statementsSoFar = (): number | undefined => counts.getStore()?.statements;

/**
 * Runs `work` outside any count and any call: for background loops, and for work that a request starts for several
 * calls.
 */
export const uncounted = <T>(work: () => T): T => counts.exit(() => unguarded(work));

/** Notes a statement about to be sent; the returned function notes its end. */
export function beginStatement(name: string | undefined, text: string): ((failed: boolean) => void) | undefined {
  if (transactionControl.test(text)) return undefined;
  const count = counts.getStore();
  if (count) count.statements += 1;
  if (listeners.size === 0) return undefined;
  const started = performance.now();
  return (failed) => {
    const statement = { name, text, milliseconds: performance.now() - started, failed };
    for (const listener of listeners) listener(statement);
  };
}
