import type { Parent } from '../../parents';

/** Where a variable is. */
export type VariableParent = Parent | { readonly kind: 'instance'; readonly id: 0 };

/** How an outside CI hands the value on: in the environment, or in a file that the environment names. */
export type VariableType = 'env_var' | 'file';

/** A variable that is not stored yet. */
export interface NewVariable {
  /** 1 to 255 of `[A-Za-z0-9_]`; with the scope unique in its parent. */
  readonly key: string;
  /** At most 10,000 characters. */
  readonly value: string;
  readonly variableType: VariableType;
  /** For pipelines of protected refs alone. */
  readonly protected: boolean;
  /** Not shown in logs. */
  readonly masked: boolean;
  /** Its value is never shown; only masked ones are hidden. */
  readonly hidden: boolean;
  /** References in the value stay as they are. */
  readonly raw: boolean;
  /** Environments that it is for: `*` means any text. */
  readonly environmentScope: string;
  /** At most 255 characters. */
  readonly description: string | undefined;
}

/** A stored variable with its value. */
export interface Variable extends NewVariable {
  readonly id: number;
}

/** A stored variable as it is changed: without a value where it cannot be decrypted. */
export interface StoredVariable extends Omit<Variable, 'value'> {
  readonly value: string | undefined;
}

/** A stored variable as it may be shown: without a value where it is hidden. */
export interface ShownVariable extends Omit<Variable, 'value'> {
  readonly value: string | undefined;
}

/** Which variable: by key, and by its scope where one is named. */
export interface VariableKey {
  readonly key: string;
  readonly environmentScope: string | undefined;
}

/** A change of a variable; what is undefined stays. */
export interface VariableChange {
  readonly value?: string | undefined;
  readonly variableType?: VariableType | undefined;
  readonly protected?: boolean | undefined;
  readonly masked?: boolean | undefined;
  readonly maskedAndHidden?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly environmentScope?: string | undefined;
  /** null removes it. */
  readonly description?: string | null | undefined;
}

/** Of which pipeline the variables are resolved. */
export interface ResolveQuery {
  readonly projectId: number;
  /** Its ref is protected. */
  readonly protectedRef: boolean;
  /** Name of its environment; undefined for none. */
  readonly environment: string | undefined;
  /** Decrypts hidden variables as well. */
  readonly withHidden: boolean;
}

/** A variable that a pipeline gets. */
export interface ResolvedVariable extends ShownVariable {
  readonly source: 'project' | 'group' | 'instance';
}
