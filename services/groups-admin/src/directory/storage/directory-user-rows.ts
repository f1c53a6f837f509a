import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import type { DirectoryRowChange } from './directory-change';
import { userKind } from './user-kind.sql';

/** Users as the directory has them, by id. */
export async function userChanges(tx: SqlExecutor, ids: readonly number[]): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<DirectoryUser>(sql`
    select id, username, name, state, coalesce(avatar_url, '') as "avatarUrl", public_email as "publicEmail",
      coalesce(nullif(commit_email, ''), email) as "commitEmail", admin, external, user_type <> 'human' as bot,
      ${userKind} as kind, 0 as "ghostId", created_at as "createdAt", email,
      private_profile as "privateProfile",
      array(select u.email where u.confirmed_at is not null
        union all select e.email from emails e where e.user_id = u.id and e.confirmed_at is not null) as "confirmedEmails"
    from users u where id = any(${[...ids]}::bigint[]) order by id`);
  return rows.map((value) => ({ row: { $case: 'user', value } }));
}

/** Deleted users as the directory has them: tombstones that point at the ghost (D5). */
export async function tombstoneChanges(tx: SqlExecutor, ids: readonly number[]): Promise<DirectoryRowChange[]> {
  const rows = await tx.query<{ id: number; username: string; name: string; ghost_id: number }>(sql`
    select id, username, name, ghost_id from user_tombstones where id = any(${[...ids]}::bigint[]) order by id`);
  return rows.map(({ id, username, name, ghost_id }) => ({
    deleted: true,
    row: {
      $case: 'user',
      value: {
        id,
        username,
        name,
        state: 'blocked',
        avatarUrl: '',
        publicEmail: '',
        commitEmail: '',
        admin: false,
        external: false,
        bot: false,
        kind: 'human',
        ghostId: ghost_id,
        createdAt: undefined,
        email: '',
        privateProfile: false,
        confirmedEmails: [],
      },
    },
  }));
}
