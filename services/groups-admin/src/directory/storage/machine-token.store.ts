import { type Database, uncounted } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { TokenRow } from '../domain/access';

/** Reads of the tokens that machines present, for `AccessService`: one statement for each question. */
export const machineTokenStore = (db: Database) => ({
  findJobToken: (digest: Buffer): Promise<TokenRow | undefined> =>
    db.one<TokenRow>(
      named(
        'access_job_token',
        sql`
        select t.id as token_id, 'job' as kind, t.project_id, t.pipeline_id, array[]::text[] as scopes, false as revoked,
          extract(epoch from t.expires_at)::bigint as expires_at, t.expires_at <= now() as expired,
          coalesce(t.last_used_at < now() - interval '1 minute', true) as stale,
          u.id as user_id, u.username, u.admin, u.external, u.state,
          (select value from directory_sequence) as directory_sequence
        from job_tokens t join users u on u.id = t.user_id
        where t.token_digest = ${digest}`,
      ),
    ),

  /** @param username has to be that of the token; empty where none was presented */
  findDeployToken: (digest: Buffer, username: string): Promise<TokenRow | undefined> =>
    db.one<TokenRow>(
      named(
        'access_deploy_token',
        sql`
        select t.id as token_id, 'deploy' as kind, t.scopes, false as revoked,
          extract(epoch from t.expires_at)::bigint as expires_at, coalesce(t.expires_at <= now(), false) as expired,
          coalesce(t.last_used_at < now() - interval '1 minute', true) as stale,
          0 as user_id, '' as username, false as admin, true as external, 'active' as state,
          (select value from directory_sequence) as directory_sequence
        from deploy_tokens t
        where t.token_digest = ${digest} and ${username}::text in ('', t.username)`,
      ),
    ),

  /** Whether a deploy token is of this project or group, or of a group above it. */
  async deployTokenReaches(tokenId: number, kind: 'project' | 'group', id: number): Promise<boolean> {
    const found =
      kind === 'project'
        ? sql`select from projects p join namespaces n on n.id = p.namespace_id
            where p.id = ${id} and (t.project_id = p.id or t.namespace_id = any (n.ancestry))`
        : sql`select from namespaces n where n.id = ${id} and t.namespace_id = any (n.ancestry)`;
    const row = await db.one(sql`select 1 from deploy_tokens t where t.id = ${tokenId} and exists (${found})`);
    return row !== undefined;
  },

  async isBelow(projectId: number, groupId: number): Promise<boolean> {
    const row = await db.one(sql`
      select 1 from projects p join namespaces n on n.id = p.namespace_id
      where p.id = ${projectId} and ${groupId} = any (n.ancestry)`);
    return row !== undefined;
  },

  touchMachineToken: (kind: 'job' | 'deploy', tokenId: number): Promise<void> =>
    uncounted(async () => {
      await db.query(
        kind === 'job'
          ? sql`update job_tokens set last_used_at = now()
              where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
          : sql`update deploy_tokens set last_used_at = now()
              where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      );
    }),
});
