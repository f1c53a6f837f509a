import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  codeRule,
  groupMembersAtLevel,
  memberNamespaces,
  memberProjects,
  mergeRequestRule,
  usersAtLevel,
  usersWhoSee,
  type Viewer,
  visibleNamespaces,
  visibleProjects,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { readersOfEpic, visibleEpics } from '../../epic-trees';
import { issueReaders, visibleIssues } from '../../issues';
import { readableMergeRequests } from '../../merge-requests';
import { alertLevel, approverLevels, type Target, type TargetType } from '../domain/target';

/**
 * Who may read targets of one type: the same as their owner's own answer, so that what it would withhold is not counted
 * either.
 */
interface Readability {
  /**
   * Whether the viewer may read the target of a row `t`, by its `target_id`, whose project is `p` in namespace `n`;
   * a group is `n` itself.
   */
  readonly of: (viewer: Viewer) => Sql;
  /** Those of `userIds` who may read a target. */
  readonly readers: (tx: SqlExecutor, target: Target, userIds: readonly number[]) => Promise<number[]>;
  /** Least level of members who read all of them, however few the project shows to others. */
  readonly memberLevel: number;
}

/** Who may read targets, by their type. */
export const readability: Record<TargetType, Readability> = {
  MergeRequest: {
    of: readableMergeRequests,
    readers: (tx, { projectId }, userIds) => usersWhoSee(tx, projectId, userIds, mergeRequestRule),
    memberLevel: levels.reporter,
  },
  Issue: {
    of: (viewer) => sql`exists (select 1 from issues i where i.id = t.target_id and ${visibleIssues(viewer)})`,
    readers: issueReaders,
    memberLevel: levels.guest,
  },
  Commit: {
    of: (viewer) => visibleProjects(viewer, codeRule),
    readers: (tx, { projectId }, userIds) => usersWhoSee(tx, projectId, userIds, codeRule),
    memberLevel: levels.reporter,
  },
  'AlertManagement::Alert': {
    of: (viewer) => sql`p.monitor_access_level <> 'disabled'
      and ${viewer.admin ? visibleProjects(viewer) : memberProjects(viewer, alertLevel)}`,
    readers: (tx, { projectId }, userIds) => usersAtLevel(tx, projectId, userIds, alertLevel),
    memberLevel: alertLevel,
  },
  Epic: {
    of: (viewer) => sql`exists (select 1 from epics e where e.id = t.target_id and ${visibleEpics(viewer)})`,
    readers: readersOfEpic,
    memberLevel: levels.guest,
  },
  Project: {
    of: (viewer) => (viewer.admin ? visibleProjects(viewer) : memberProjects(viewer, approverLevels.Project)),
    readers: (tx, { projectId }, userIds) => usersAtLevel(tx, projectId, userIds, approverLevels.Project),
    memberLevel: approverLevels.Project,
  },
  Namespace: {
    of: (viewer) => (viewer.admin ? visibleNamespaces(viewer) : memberNamespaces(viewer, approverLevels.Namespace)),
    async readers(tx, { id }, userIds) {
      const owners = new Set(await groupMembersAtLevel(tx, id, approverLevels.Namespace));
      return userIds.filter((userId) => owners.has(userId));
    },
    memberLevel: approverLevels.Namespace,
  },
};

/** Those of `userIds` who may read a target. */
export const targetReaders = (tx: SqlExecutor, target: Target, userIds: readonly number[]): Promise<number[]> =>
  readability[target.type].readers(tx, target, userIds);
