import type { PageInfo, PageRequest } from '@switchyard/database';
import type { VariableChangeRequest } from '../domain/variable-change';
import type {
  NewVariable,
  ResolvedVariable,
  ResolveQuery,
  ShownVariable,
  StoredVariable,
  Variable,
  VariableKey,
  VariableParent,
} from '../domain/variable-row';

/** Variables in the database, their values encrypted; each change is one transaction. */
export interface VariableStore {
  /** A page of variables by id. @throws AppError internal when values cannot be decrypted */
  list(parent: VariableParent, request: PageRequest): Promise<{ rows: ShownVariable[]; page: PageInfo }>;
  /**
   * The variable with a key.
   * @throws AppError conflict for several variables; internal when its value cannot be decrypted
   */
  find(parent: VariableParent, key: VariableKey): Promise<ShownVariable | undefined>;
  /**
   * Inserts the variable that `decide` returns.
   * @throws AppError not_found when the parent was purged; what `decide` throws
   */
  create(
    parent: VariableParent,
    given: Pick<NewVariable, 'key' | 'environmentScope'>,
    decide: (facts: { readonly isTaken: boolean; readonly isFull: boolean }) => NewVariable,
  ): Promise<ShownVariable>;
  /**
   * Locks a variable, decides and saves; undefined deletes it.
   * @returns undefined when there is no such variable, or it was deleted
   * @throws AppError conflict for several variables; precondition_failed; what `decide` throws
   */
  change(
    request: VariableChangeRequest,
    decide: (variable: StoredVariable, isTaken: boolean) => Variable | undefined,
  ): Promise<{ readonly variable: ShownVariable | undefined } | undefined>;
  /**
   * What a pipeline gets, by key.
   * @throws AppError too_large; internal when values cannot be decrypted
   */
  resolve(query: ResolveQuery): Promise<ResolvedVariable[]>;
}
