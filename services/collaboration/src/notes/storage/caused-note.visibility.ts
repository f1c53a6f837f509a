import { type Sql, sql } from '@switchyard/database/sql';
import { codeRule, type Viewer, visibleProjects } from '@switchyard/directory';
import { visibleEpics } from '../../epic-trees';
import { visibleIssues } from '../../issues';
import { readableMergeRequests } from '../../merge-requests';
import { type NoteableKey, noteableId } from '../../noteables';

const anonymous: Viewer = { userId: 0, admin: false, external: false };

/**
 * Notes `n` of a noteable that the viewer may see although another object caused them: such a note reveals that object,
 * so it is shown to those who can read that object. The sources are asked once for the statement, and only where there
 * is such a note.
 * @param viewer undefined: an anonymous one
 */
export const causedVisibly = (
  key: NoteableKey,
  viewer: Viewer = anonymous,
): Sql => sql`(n.source_kind is null or n.id = any(array(
  select said.id from notes said
  join directory.projects p on p.id = said.source_project_id join directory.namespaces n on n.id = p.namespace_id
  left join issues i on said.source_kind = 'Issue' and i.id = said.source_id
  where said.noteable_id = ${noteableId(key)} and said.source_kind is not null and case said.source_kind
    when 'Issue' then i.id is not null and ${visibleIssues(viewer)}
    when 'MergeRequest' then ${readableMergeRequests(viewer)}
    when 'Commit' then ${visibleProjects(viewer, codeRule)}
    else false end
  union all
  select said.id from notes said join epics e on said.source_kind = 'Epic' and e.id = said.source_id
  join directory.namespaces n on n.id = e.group_id
  where said.noteable_id = ${noteableId(key)} and ${visibleEpics(viewer)})))`;
