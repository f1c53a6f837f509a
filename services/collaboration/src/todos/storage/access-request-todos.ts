import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { groupMembersAtLevel, membersAtLevel } from '@switchyard/directory';
import { approverLevels } from '../../targets';
import type { RequestedAccess } from '../domain/todo';
import { lockTarget } from './todo.spans';

const action = 'member_access_requested';

/** Users that one request notifies, the oldest: keeps its transaction short. */
const maxApprovers = 1_000;

/** Name under which `removed_targets` remembers that a request has ended: its events may come late. */
const requestType = 'AccessRequest';

const approversOf = ({ type, id }: RequestedAccess['place'], tx: SqlExecutor): Promise<number[]> =>
  type === 'Project'
    ? membersAtLevel(tx, id, approverLevels.Project)
    : groupMembersAtLevel(tx, id, approverLevels.Namespace);

const lockPlace = (tx: SqlExecutor, { type, id }: RequestedAccess['place']): Promise<void> =>
  lockTarget(tx, { type, id, iid: 0, projectId: type === 'Project' ? id : 0 });

/** To-dos of the users who decide on access requests: one for each request, until it ends. */
export const accessRequestTodos = {
  async raise(tx: SqlExecutor, { requestId, userId, place }: RequestedAccess, at: Date): Promise<void> {
    const approvers = (await approversOf(place, tx)).slice(0, maxApprovers);
    await lockPlace(tx, place);
    const isProject = place.type === 'Project';
    await tx.query(sql`
      insert into todos (user_id, author_id, action, project_id, group_id, target_type, target_id, target_iid, cause,
        created_at, updated_at)
      select approver.id, ${userId}, ${action}, ${isProject ? place.id : null}::bigint, ${isProject ? null : place.id}::bigint,
        ${place.type}, ${place.id}, 0, ${String(requestId)}, ${at}::timestamptz, ${at}::timestamptz
      from unnest(${approvers}::bigint[]) as approver (id)
      where not exists (select 1 from removed_targets gone where gone.target_type = ${requestType} and gone.target_id = ${requestId})
      on conflict (user_id, target_type, target_id, action, cause) where state = 'pending' do nothing`);
  },

  async resolve(tx: SqlExecutor, { requestId, place }: RequestedAccess, at: Date): Promise<void> {
    await lockPlace(tx, place);
    await tx.query(sql`
      insert into removed_targets (target_type, target_id) values (${requestType}, ${requestId}) on conflict do nothing`);
    await tx.query(sql`
      update todos set state = 'done', updated_at = ${at}::timestamptz
      where target_type = ${place.type} and target_id = ${place.id} and action = ${action} and cause = ${String(requestId)}
        and state = 'pending'`);
  },
};
