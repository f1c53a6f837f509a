import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { closedFeatures, isVisible, type Viewer } from '../domain/access-rules';
import { waysBelow, waysOf } from './reach';
import { deletingIds } from './viewer';

/** What a viewer may do in a project or group that they see. */
export interface TargetRights {
  /** Effective level, 0 to 50. */
  readonly level: number;
  /** Features that are closed to the viewer: `repository`, `merge_requests`, `issues`, `monitor`, `snippets`. */
  readonly closed: ReadonlySet<string>;
}

/** Rights by id; what the viewer does not see, and what is marked for deletion, is missing. */
export interface RightsInTargets {
  readonly projects: ReadonlyMap<number, TargetRights>;
  readonly groups: ReadonlyMap<number, TargetRights>;
}

interface RightsRow {
  kind: 'project' | 'group';
  id: number;
  visibility: string;
  level: number;
  member_below: boolean;
  repository: string;
  merge_requests: string;
  issues: string;
  monitor: string;
  snippets: string;
  packages: string;
}

/** Names of the features in `TargetRights.closed`. */
const featureNames = {
  repository: 'repository',
  mergeRequests: 'merge_requests',
  issues: 'issues',
  monitor: 'monitor',
  snippets: 'snippets',
  packages: 'packages',
} as const;

function closedTo(row: RightsRow, { admin }: Viewer): ReadonlySet<string> {
  if (row.kind === 'group') return new Set();
  const { repository, merge_requests: mergeRequests, issues, monitor, snippets, packages, level } = row;
  const features = { repository, mergeRequests, issues, monitor, snippets, packages };
  const shut = closedFeatures(features, { level, admin });
  // Unlike the gateway, which leaves it to their owners to refuse what is `disabled`, a reader of changes is shown none.
  const disabled = { issues: issues === 'disabled', mergeRequests: mergeRequests === 'disabled' };
  const names = Object.entries(featureNames).flatMap(([key, name]) =>
    shut?.[key as keyof typeof featureNames] || disabled[key as keyof typeof disabled] ? [name] : [],
  );
  return new Set(names);
}

/** Rights of a viewer in projects and groups, in one statement. */
export const targetRights =
  (db: Database) =>
  async (
    viewer: Viewer,
    { projects, groups }: { readonly projects: readonly number[]; readonly groups: readonly number[] },
  ): Promise<RightsInTargets> => {
    const { userId } = viewer;
    const rows = await db.query<RightsRow>(
      named(
        'target_rights',
        sql`
        select 'project' as kind, p.id, p.visibility,
          greatest(case when n.owner_id = ${userId}::bigint then 50 else 0 end, coalesce(own.level, 0)) as level,
          false as member_below, p.repository_access_level as repository, p.merge_requests_access_level as merge_requests,
          p.issues_access_level as issues, coalesce(p.feature_access_levels ->> 'monitor', 'enabled') as monitor,
          coalesce(p.feature_access_levels ->> 'snippets', 'enabled') as snippets,
          coalesce(p.feature_access_levels ->> 'package_registry', 'enabled') as packages
        from projects p join namespaces n on n.id = p.namespace_id
        cross join lateral (select max(way.level) as level from (${waysOf(
          sql`${userId}::bigint`,
          { ancestry: sql`n.ancestry`, projectId: sql`p.id` },
          levels.guest,
        )}) as way) as own
        where p.id = any(${[...projects]}::bigint[]) and p.marked_for_deletion_at is null
          and not (n.ancestry && ${deletingIds})
        union all
        select 'group', n.id, n.visibility, coalesce(own.level, 0),
          own.level is null and n.visibility <> 'public' and exists (${waysBelow(sql`${userId}::bigint`, sql`n.id`)}),
          '', '', '', '', '', ''
        from namespaces n
        cross join lateral (select max(way.level) as level from (${waysOf(
          sql`${userId}::bigint`,
          { ancestry: sql`n.ancestry` },
          levels.minimal,
        )}) as way) as own
        where n.id = any(${[...groups]}::bigint[]) and n.kind = 'group' and not (n.ancestry && ${deletingIds})`,
      ),
    );
    const seen = rows.filter(({ visibility, level, member_below: memberBelow }) =>
      isVisible({ visibility, level, memberBelow }, viewer),
    );
    const of = (kind: RightsRow['kind']): ReadonlyMap<number, TargetRights> =>
      new Map(
        seen
          .filter((row) => row.kind === kind)
          .map((row) => [row.id, { level: row.level, closed: closedTo(row, viewer) }]),
      );
    return { projects: of('project'), groups: of('group') };
  };
