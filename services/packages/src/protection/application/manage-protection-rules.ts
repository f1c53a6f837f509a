import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import { forbidden, notFound, unprocessable } from '@switchyard/errors';
import {
  allows,
  type ProtectedAct,
  type ProtectionFields,
  type ProtectionRule,
  protectionProblems,
} from '../domain/protection-rule';

/** Rules that a project may have: each publication looks at those of its format. */
const maxRules = 100;

/** Rules as rows. */
export interface ProtectionRuleStore {
  /** One page of the rules of a project, oldest first. */
  page(projectId: number, request: PageRequest): Promise<{ rows: ProtectionRule[]; page: PageInfo }>;
  /**
   * Adds a rule while the project has less than `limit`; undefined when it has not. Fails with `unprocessable` when there
   * is one for the same format and pattern.
   */
  add(projectId: number, fields: ProtectionFields, limit: number): Promise<ProtectionRule | undefined>;
  /** Locks a rule, decides and saves its fields; undefined when there is none. Fails as `add`. */
  change(
    projectId: number,
    id: number,
    decide: (before: ProtectionRule) => ProtectionFields,
  ): Promise<ProtectionRule | undefined>;
  /** Deletes one; `precondition_failed` when it changed after `since`. False when there is none. */
  remove(projectId: number, id: number, since: Date | undefined): Promise<boolean>;
  /** Rules of a project for one format. */
  ofFormat(db: Pick<Tx, 'query'>, projectId: number, format: string): Promise<ProtectionRule[]>;
}

/** Which packages of a project, by name. */
export interface ProtectedPackage {
  readonly projectId: number;
  readonly format: string;
  readonly name: string;
}

/**
 * Refuses a caller with a level to whom a rule forbids to publish or delete a package: `forbidden`. Within the
 * transaction of the act, or before a body is received.
 */
export type RequireUnprotected = (
  db: Pick<Tx, 'query'>,
  act: ProtectedAct,
  subject: ProtectedPackage,
  level: number,
) => Promise<void>;

const refusals: Record<ProtectedAct, string> = {
  push: 'Package protected.',
  delete: 'Package is deletion protected.',
};

/** Builds the check (G-4.17-2). */
export const requireUnprotected =
  (rules: Pick<ProtectionRuleStore, 'ofFormat'>): RequireUnprotected =>
  async (db, act, { projectId, format, name }, level) => {
    const known = await rules.ofFormat(db, projectId, format);
    if (!allows(known, act, { format, name }, level)) throw forbidden(refusals[act]);
  };

const none = () => notFound('Package protection rule');

function checked(fields: ProtectionFields): ProtectionFields {
  const problems = protectionProblems(fields);
  if (problems.length > 0) throw unprocessable(problems);
  return fields;
}

/** The use cases of rules; the gateway has checked that the caller may configure packages. */
export const manageProtectionRules = (rules: ProtectionRuleStore) => ({
  /** Rules of a project. */
  list: (projectId: number, request: PageRequest): Promise<{ rows: ProtectionRule[]; page: PageInfo }> =>
    rules.page(projectId, request),

  /** Adds a rule. Fails with `unprocessable`. */
  async create(projectId: number, fields: ProtectionFields): Promise<ProtectionRule> {
    const made = await rules.add(projectId, checked(fields), maxRules);
    if (made === undefined) throw unprocessable([`A project can have ${maxRules} package protection rules`]);
    return made;
  },

  /** Changes what is given. Fails with `not_found`, `unprocessable`. */
  async update(projectId: number, id: number, change: Partial<ProtectionFields>): Promise<ProtectionRule> {
    const changed = await rules.change(projectId, id, (before) => checked({ ...before, ...change }));
    if (changed === undefined) throw none();
    return changed;
  },

  /** Deletes a rule. Fails with `not_found`, `precondition_failed`. */
  async remove(projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void> {
    if (!(await rules.remove(projectId, id, unmodifiedSince))) throw none();
  },
});

/** What `manageProtectionRules` gives. */
export type ProtectionRules = ReturnType<typeof manageProtectionRules>;
