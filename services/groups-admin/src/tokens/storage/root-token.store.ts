import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Scopes of the administrator's token: everything. */
const scopes = ['api', 'sudo', 'admin_mode'];

/**
 * Replaces the token that an operator chose for `root` by the one with this digest (D2). One that was replaced before works again, as
 * after a rollback; one that was revoked stays revoked.
 * @returns whether the token works
 */
export async function replaceRootToken(tx: Tx, rootId: number, digest: Buffer): Promise<boolean> {
  await tx.query(sql`
    update personal_access_tokens set revoked = true, replaced = true, updated_at = now()
    where kind = 'bootstrap' and not revoked and token_digest <> ${digest}`);
  await tx.query(sql`
    update personal_access_tokens set revoked = false, replaced = false, updated_at = now()
    where kind = 'bootstrap' and replaced and token_digest = ${digest}`);
  const known = await tx.one<{ revoked: boolean }>(
    sql`select revoked from personal_access_tokens where token_digest = ${digest}`,
  );
  if (known !== undefined) return !known.revoked;
  await tx.query(sql`
    insert into personal_access_tokens (user_id, name, description, token_digest, scopes, kind)
    values (${rootId}::bigint, 'Administrator', 'SWITCHYARD_ROOT_TOKEN', ${digest}, ${scopes}::text[], 'bootstrap')`);
  return true;
}
