import type { ApprovalRule } from './approval-rule';

/** An approval rule as an archive has it: what it names, it names as people do. */
export interface ImportedRule extends Pick<ApprovalRule, 'type' | 'name' | 'required' | 'allProtectedBranches'> {
  /** Number of the merge request whose rule it is; undefined: of the project. */
  readonly mergeRequestIid: number | undefined;
  /** Name of the project's rule that it was made from. */
  readonly source: string | undefined;
  readonly usernames: readonly string[];
  /** Full paths. */
  readonly groups: readonly string[];
  readonly protectedBranches: readonly string[];
}

/** Ids of what rules of an archive name: of the project, and of the users and groups that its importer may see. */
export interface NamedInRules {
  /** By username in lower case. */
  readonly users: ReadonlyMap<string, number>;
  /** By full path. */
  readonly groups: ReadonlyMap<string, number>;
  readonly branches: ReadonlyMap<string, number>;
  /** Imported merge requests by number. */
  readonly mergeRequests: ReadonlyMap<number, number>;
  /** The project's own rules by name. */
  readonly rules: ReadonlyMap<string, number>;
}
