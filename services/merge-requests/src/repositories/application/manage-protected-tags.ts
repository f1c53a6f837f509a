import { invalid, notFound, unprocessable } from '@switchyard/errors';
import { wildcardProblem } from '@switchyard/patterns';
import { maintainer } from '../domain/protected-branch';
import type { ProtectedTag } from '../domain/protected-tag';

/** Characters of a rule's name: no tag has a longer one. */
const maxName = 2_000;

/** Where rules are kept; see storage/protected-tag.store.ts. */
export interface ProtectedTags<Request, Info> {
  list(projectId: number, search: string, request: Request): Promise<{ rows: ProtectedTag[]; page: Info }>;
  find(projectId: number, name: string): Promise<ProtectedTag | undefined>;
  add(rule: Omit<ProtectedTag, 'id'>): Promise<ProtectedTag | undefined>;
  remove(projectId: number, name: string, unmodifiedSince?: Date): Promise<boolean>;
}

/** Protected tags: list, get, create, delete. */
export function manageProtectedTags<Request, Info>(rules: ProtectedTags<Request, Info>) {
  return {
    /** A page of rules. */
    list: (projectId: number, request: Request) => rules.list(projectId, '', request),

    /** One rule by its own name. */
    async get(projectId: number, name: string): Promise<ProtectedTag> {
      const rule = await rules.find(projectId, name);
      if (rule === undefined) throw notFound();
      return rule;
    },

    /**
     * Makes a rule; its level is Maintainer unless given. @throws AppError invalid for more `*` than a pattern may
     * have, or 2,000 characters; unprocessable for a name that has one
     */
    async create(projectId: number, rule: { name: string; createAccessLevel?: number }): Promise<ProtectedTag> {
      const problem =
        rule.name.length > maxName ? `is too long (maximum is ${maxName} characters)` : wildcardProblem(rule.name);
      if (problem !== undefined) throw invalid({ name: [problem] });
      const made = await rules.add({
        projectId,
        name: rule.name,
        createAccessLevel: rule.createAccessLevel ?? maintainer,
      });
      if (made === undefined) throw unprocessable(['Name has already been taken']);
      return made;
    },

    /** Removes a rule; the tags stay. */
    async remove(projectId: number, name: string, unmodifiedSince?: Date): Promise<void> {
      if (!(await rules.remove(projectId, name, unmodifiedSince))) throw notFound();
    },
  };
}

/** What `manageProtectedTags` gives. */
export type ManageProtectedTags<Request, Info> = ReturnType<typeof manageProtectedTags<Request, Info>>;
