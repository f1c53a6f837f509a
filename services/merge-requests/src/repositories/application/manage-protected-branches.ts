import { conflict, invalid, notFound } from '@switchyard/errors';
import { wildcardProblem } from '@switchyard/patterns';
import { maintainer, type ProtectedBranch } from '../domain/protected-branch';

/** Characters of a rule's name: no branch has a longer one. */
const maxName = 2_000;

/** Where rules are kept; see storage/protected-branch.store.ts. */
export interface ProtectedBranches<Request, Info> {
  list(projectId: number, search: string, request: Request): Promise<{ rows: ProtectedBranch[]; page: Info }>;
  find(projectId: number, name: string): Promise<ProtectedBranch | undefined>;
  add(rule: Omit<ProtectedBranch, 'id'>): Promise<ProtectedBranch | undefined>;
  change(
    projectId: number,
    name: string,
    change: { pushAccessLevel?: number; mergeAccessLevel?: number; allowForcePush?: boolean },
  ): Promise<ProtectedBranch | undefined>;
  remove(projectId: number, name: string, unmodifiedSince?: Date): Promise<boolean>;
}

/** Protected branches: list, get, create, change, delete. */
export function manageProtectedBranches<Request, Info>(rules: ProtectedBranches<Request, Info>) {
  return {
    /** A page of rules. */
    list: (projectId: number, search: string, request: Request) => rules.list(projectId, search, request),

    /** One rule by its own name. */
    async get(projectId: number, name: string): Promise<ProtectedBranch> {
      const rule = await rules.find(projectId, name);
      if (rule === undefined) throw notFound();
      return rule;
    },

    /**
     * Makes a rule; levels that are not given are Maintainer. @throws AppError invalid for more `*` than a pattern may
     * have, or 2,000 characters
     */
    async create(
      projectId: number,
      rule: { name: string; pushAccessLevel?: number; mergeAccessLevel?: number; allowForcePush: boolean },
    ): Promise<ProtectedBranch> {
      const problem =
        rule.name.length > maxName ? `is too long (maximum is ${maxName} characters)` : wildcardProblem(rule.name);
      if (problem !== undefined) throw invalid({ name: [problem] });
      const made = await rules.add({
        projectId,
        name: rule.name,
        pushAccessLevel: rule.pushAccessLevel ?? maintainer,
        mergeAccessLevel: rule.mergeAccessLevel ?? maintainer,
        allowForcePush: rule.allowForcePush,
      });
      if (made === undefined) throw conflict(`Protected branch '${rule.name}' already exists`);
      return made;
    },

    /** Changes a rule; what is undefined stays. */
    async update(
      projectId: number,
      name: string,
      change: { pushAccessLevel?: number; mergeAccessLevel?: number; allowForcePush?: boolean },
    ): Promise<ProtectedBranch> {
      const rule = await rules.change(projectId, name, change);
      if (rule === undefined) throw notFound();
      return rule;
    },

    /** Removes a rule; the branches stay. */
    async remove(projectId: number, name: string, unmodifiedSince?: Date): Promise<void> {
      if (!(await rules.remove(projectId, name, unmodifiedSince))) throw notFound();
    },
  };
}

/** What `manageProtectedBranches` gives. */
export type ManageProtectedBranches<Request, Info> = ReturnType<typeof manageProtectedBranches<Request, Info>>;
