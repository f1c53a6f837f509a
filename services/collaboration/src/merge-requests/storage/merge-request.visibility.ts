import { type Sql, sql } from '@switchyard/database/sql';
import { mergeRequestRule, type Viewer, visibleProjects } from '@switchyard/directory';

/**
 * Whether the viewer reads the merge requests of the project `p` in namespace `n`; the same condition as their owner's
 * own.
 */
export const readableMergeRequests = (viewer: Viewer): Sql =>
  sql`p.merge_requests_enabled and ${visibleProjects(viewer, mergeRequestRule)}`;
