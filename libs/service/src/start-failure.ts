import { exitCodeOf } from '@switchyard/config';
import { failureLine } from './failure-line';

/** Whether a port is taken, which may be free at the next start. */
const isTakenPort = (error: unknown): boolean =>
  ((error as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';

/**
 * Says in one line on stderr why a process, or its `migrate`, does not start.
 * @param name of what does not
 * @param variables that it reads
 * @returns its exit code: 78 where the configuration is at fault, else 1
 */
export function sayStartFailed(name: string, error: unknown, variables: readonly string[]): number {
  const line = failureLine(error);
  process.stderr.write(`${name}: ${line}\n`);
  return exitCodeOf(line, isTakenPort(error) ? [] : variables);
}
