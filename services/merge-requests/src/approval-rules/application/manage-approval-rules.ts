import type { PageInfo, PageRequest } from '@switchyard/database';
import { forbidden, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Caller } from '../../callers';
import {
  approvalRequested,
  type MergeRequestEdges,
  type MergeRequestView,
  mayUpdate,
  viewOf,
} from '../../merge-requests';
import {
  type ApprovalRule,
  type ApprovalRuleView,
  checkRule,
  type RuleFacts,
  type RuleOwner,
} from '../domain/approval-rule';
import type { AfterNaming, ApprovalRuleStore } from './approval-rule.ports';

/** What managing rules works with. */
export type RuleEdges = Pick<MergeRequestEdges, 'mergeRequests' | 'directory'> & { readonly rules: ApprovalRuleStore };

/** Whose rules: with an `iid` of that merge request. */
interface OwnerKey {
  readonly projectId: number;
  /** 0: of the project. */
  readonly iid: number;
}

/** Whom a rule is to name; what is undefined stays, or is empty in a new rule. */
export interface WantedScope {
  readonly userIds: readonly number[] | undefined;
  readonly usernames: readonly string[] | undefined;
  readonly groupIds: readonly number[] | undefined;
  readonly protectedBranchIds: readonly number[] | undefined;
  readonly allProtectedBranches: boolean | undefined;
}

/** A rule to make. */
export interface WantedRule {
  readonly name: string;
  readonly type: ApprovalRule['type'];
  readonly required: number;
  readonly scope: WantedScope;
  /** Rule of the project that it is made from. */
  readonly sourceRuleId: number | undefined;
}

/** Changes of a rule; what is undefined stays. */
export interface WantedRuleChange {
  readonly name: string | undefined;
  readonly required: number | undefined;
  readonly scope: WantedScope;
  /** Groups that the caller does not see go as well. */
  readonly removeHiddenGroups: boolean;
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

/** Approval rules: list, get, make, change, remove (G-4.2-8). */
export function manageApprovalRules({ rules, mergeRequests, directory }: RuleEdges) {
  async function owned({
    projectId,
    iid,
  }: OwnerKey): Promise<{ owner: RuleOwner; view: MergeRequestView | undefined }> {
    if (iid === 0) return { owner: { projectId, mergeRequestId: undefined }, view: undefined };
    const view = await viewOf({ mergeRequests }, { projectId, iid });
    return { owner: { projectId, mergeRequestId: view.mergeRequest.id }, view };
  }

  /** The owner of rules that the caller may change; the gateway has decided that for projects. */
  async function ownedToChange(caller: Caller, key: OwnerKey): Promise<RuleOwner> {
    const { owner, view } = await owned(key);
    if (view === undefined) return owner;
    const open = view.mergeRequest.state === 'opened';
    if (!open || !mayUpdate(caller, view) || view.approval.settings.overridingDisabled) throw forbidden();
    return owner;
  }

  /** What a scope names: the ids that hold, and how many do not. */
  async function resolved(caller: Caller, projectId: number, wanted: WantedScope) {
    const { userIds, usernames, groupIds, protectedBranchIds } = wanted;
    const byName = usernames === undefined ? [] : await rules.userIds(usernames);
    const named = new Set(usernames?.map((name) => name.toLowerCase()));
    const users =
      userIds === undefined && usernames === undefined ? undefined : unique([...(userIds ?? []), ...byName]);
    const [readers, groups, branches] = await Promise.all([
      users && directory.readers(projectId, users),
      groupIds && rules.visibleGroups(unique(groupIds), caller),
      protectedBranchIds && rules.protectedBranches(projectId, unique(protectedBranchIds)),
    ]);
    const missing = (asked: readonly number[] | undefined, found: readonly number[] | undefined): number =>
      asked === undefined ? 0 : unique(asked).length - (found?.length ?? 0);
    const facts: Omit<RuleFacts, 'least'> = {
      unknownUsers: missing(users, readers) + (named.size - byName.length),
      unknownGroups: missing(groupIds, groups),
      unknownBranches: missing(protectedBranchIds, branches),
    };
    return { users, groups, branches, facts };
  }

  async function sourceOf(projectId: number, id: number | undefined, caller: Caller) {
    if (id === undefined) return undefined;
    const source = await rules.find({ projectId, mergeRequestId: undefined }, id, caller);
    if (source === undefined) throw notFound();
    return source;
  }

  async function get(caller: Caller, key: OwnerKey, id: number): Promise<ApprovalRuleView> {
    const { owner } = await owned(key);
    const rule = await rules.find(owner, id, caller);
    if (rule === undefined) throw notFound();
    return rule;
  }

  /** Tells users that their approval of a merge request is demanded. */
  const telling =
    (caller: Caller, { mergeRequestId }: RuleOwner): AfterNaming =>
    async (tx, userIds) => {
      if (mergeRequestId === undefined) return;
      const demanded = (authorId: number) => userIds.filter((userId) => userId !== authorId);
      await mergeRequests.change(
        mergeRequestId,
        caller.userId,
        ({ mergeRequest }) =>
          demanded(mergeRequest.authorId).length === 0
            ? undefined
            : { facts: [approvalRequested(demanded(mergeRequest.authorId))], quiet: true },
        tx,
      );
    };

  return {
    get,

    /** A page of rules. Fails with `not_found`. */
    async list(
      caller: Caller,
      key: OwnerKey,
      request: PageRequest,
    ): Promise<{ rows: ApprovalRuleView[]; page: PageInfo }> {
      const { owner } = await owned(key);
      return rules.list(owner, caller, request);
    },

    /** Makes a rule. Fails with `not_found`, `forbidden`, `invalid`. */
    async create(caller: Caller, key: OwnerKey, wanted: WantedRule): Promise<ApprovalRuleView> {
      const owner = await ownedToChange(caller, key);
      const source = await sourceOf(key.projectId, wanted.sourceRuleId, caller);
      const { users, groups, branches, facts } = await resolved(caller, key.projectId, wanted.scope);
      const rule = {
        type: source?.rule.type ?? wanted.type,
        name: displayText(wanted.name),
        required: wanted.required,
        userIds: users ?? source?.rule.userIds ?? [],
        groupIds: groups ?? source?.rule.groupIds ?? [],
        protectedBranchIds: branches ?? [],
        allProtectedBranches: wanted.scope.allProtectedBranches ?? false,
        sourceRuleId: source?.rule.id,
      };
      checkRule(rule, { ...facts, least: source?.rule.required });
      return get(caller, key, await rules.add(owner, rule, telling(caller, owner)));
    },

    /** Changes a rule. Fails with `not_found`, `forbidden`, `invalid`. */
    async update(caller: Caller, key: OwnerKey, id: number, wanted: WantedRuleChange): Promise<ApprovalRuleView> {
      const owner = await ownedToChange(caller, key);
      const before = await get(caller, key, id);
      const { users, groups, branches, facts } = await resolved(caller, key.projectId, wanted.scope);
      const hidden = wanted.removeHiddenGroups ? [] : before.hiddenGroupIds;
      const decide = (rule: ApprovalRule): ApprovalRule => {
        const stays = wanted.removeHiddenGroups
          ? rule.groupIds.filter((groupId) => !before.hiddenGroupIds.includes(groupId))
          : rule.groupIds;
        const after = {
          ...rule,
          name: wanted.name === undefined ? rule.name : displayText(wanted.name),
          required: wanted.required ?? rule.required,
          userIds: users ?? rule.userIds,
          groupIds: groups === undefined ? stays : unique([...groups, ...hidden]),
          protectedBranchIds: branches ?? rule.protectedBranchIds,
          allProtectedBranches: wanted.scope.allProtectedBranches ?? rule.allProtectedBranches,
        };
        checkRule(after, { ...facts, least: before.sourceRequired });
        return after;
      };
      await rules.change(owner, id, decide, telling(caller, owner));
      return get(caller, key, id);
    },

    /** Removes a rule. Fails with `not_found`, `forbidden`, `precondition_failed`. */
    async remove(caller: Caller, key: OwnerKey, id: number, unmodifiedSince: Date | undefined): Promise<void> {
      const owner = await ownedToChange(caller, key);
      if (!(await rules.remove(owner, id, unmodifiedSince))) throw notFound();
    },
  };
}

/** What `manageApprovalRules` gives. */
export type ManageApprovalRules = ReturnType<typeof manageApprovalRules>;
