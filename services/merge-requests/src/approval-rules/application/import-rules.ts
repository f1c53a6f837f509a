import type { ImportRights } from '@switchyard/directory';
import { isAppError, notFound } from '@switchyard/errors';
import type { MergeRequestEdges } from '../../merge-requests';
import { type ApprovalRule, checkRule } from '../domain/approval-rule';
import type { ImportedRule, NamedInRules } from '../domain/imported-rule';
import type { ApprovalRuleStore } from './approval-rule.ports';

/** What imports of rules work with. */
export interface RuleImportEdges {
  readonly directory: Pick<MergeRequestEdges['directory'], 'project' | 'readers'>;
  readonly rules: Pick<ApprovalRuleStore, 'add'>;
  readonly findNamed: (
    target: ImportRights,
    importedFrom: string,
    given: readonly ImportedRule[],
  ) => Promise<NamedInRules>;
}

const nothingElse = async (): Promise<void> => undefined;

/**
 * Adds rules of an archive: those whose name is taken, as after a page that comes again, stay as they are. A rule names
 * whom its importer could name: others, and groups that they do not see, are left out of it. A rule that no project can
 * have stays away.
 */
export const importRules =
  ({ directory, rules, findNamed }: RuleImportEdges) =>
  /** Adds rules; returns how many were looked at. Fails with `not_found` for the project. */
  async (target: ImportRights, importedFrom: string, given: readonly ImportedRule[]): Promise<number> => {
    const { projectId } = target;
    if ((await directory.project(projectId)) === undefined) throw notFound('Project');
    const named = await findNamed(target, importedFrom, given);
    const readers = new Set(await directory.readers(projectId, [...named.users.values()]));
    const sources = new Map(named.rules);

    const ruleOf = (one: ImportedRule): Omit<ApprovalRule, 'id'> => ({
      ...{ type: one.type, name: one.name, required: one.required, allProtectedBranches: one.allProtectedBranches },
      sourceRuleId: one.mergeRequestIid === undefined ? undefined : sources.get(one.source ?? ''),
      userIds: [...new Set(one.usernames.flatMap((name) => named.users.get(name.toLowerCase()) ?? []))].filter((id) =>
        readers.has(id),
      ),
      groupIds: [...new Set(one.groups.flatMap((path) => named.groups.get(path) ?? []))],
      protectedBranchIds: [...new Set(one.protectedBranches.flatMap((name) => named.branches.get(name) ?? []))],
    });

    async function add(one: ImportedRule): Promise<void> {
      const mergeRequestId = one.mergeRequestIid && named.mergeRequests.get(one.mergeRequestIid);
      if (one.mergeRequestIid !== undefined && mergeRequestId === undefined) return;
      try {
        const rule = ruleOf(one);
        checkRule(rule, { unknownUsers: 0, unknownGroups: 0, unknownBranches: 0, least: undefined });
        const id = await rules.add({ projectId, mergeRequestId }, rule, nothingElse);
        if (one.mergeRequestIid === undefined) sources.set(one.name, id);
      } catch (error) {
        if (!isAppError(error, 'invalid')) throw error;
      }
    }

    for (const one of given) await add(one);
    return given.length;
  };
