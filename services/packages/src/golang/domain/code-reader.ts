import { levels } from '@switchyard/rights';

/** Who asks for a module of a project. */
export interface CodeReader {
  /** Level in the project; 0 for others. */
  readonly level: number;
  readonly admin: boolean;
  /** A user of the instance who may see what is internal. */
  readonly isInternal: boolean;
  /** Whether a deploy token lacks the scope that reads code, as for git. */
  readonly lacksScope: boolean;
}

/** Whether someone may read the code of a project, which its modules are. The registry may be open to more than it. */
export function mayReadCode(
  { visibility, isClosed }: { readonly visibility: string; readonly isClosed: boolean },
  { level, admin, isInternal, lacksScope }: CodeReader,
): boolean {
  if (isClosed || lacksScope) return false;
  if (admin || visibility === 'public') return true;
  return visibility === 'internal' ? isInternal || level >= levels.guest : level >= levels.reporter;
}
