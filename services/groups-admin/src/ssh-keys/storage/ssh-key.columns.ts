import { type Sql, sql } from '@switchyard/database/sql';

/** Columns of `ssh_keys k left join users u` for an `SshKeyRow`. */
export const keyColumns: Sql = sql`k.id, k.kind, k.user_id, k.creator_id, k.title, k.key, k.fingerprint_md5,
  k.fingerprint_sha256, k.usage_type, k.public, k.expires_at, k.last_used_at, k.created_at, u.name as user_name`;
