import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { logger } from '@switchyard/telemetry';
import { namespaceChanges } from '../directory/storage/directory-rows';
import { userChanges } from '../directory/storage/directory-user-rows';
import { recordDirectoryChange } from '../directory/storage/directory-writer';
import type { internalUserTypes } from '../rules';
import type { TokenDigest } from '../tokens/application/token';
import { insertUserNamespace } from '../users/storage/user.store';

/** Serialises the bootstrap of replicas that start side by side. */
const bootstrapLock = 72707380;

/** Scopes of the administrator's token: everything. */
const scopes = ['api', 'sudo', 'admin_mode'];

/**
 * Makes what an instance cannot be without: the ghost that stands in for deleted users, the bot in whose name alerts open and close
 * incidents, and the administrator `root` with the token of `SWITCHYARD_ROOT_TOKEN` (D2). Another token than at the last start takes the place of the old one; one that was revoked stays revoked.
 */
export async function bootstrap(db: Database, digest: TokenDigest, rootToken: string | undefined): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${bootstrapLock})`);
    const made: { users: number[]; namespaces: number[] } = { users: [], namespaces: [] };
    const root = await tx.one<{ id: number }>(sql`select id from users where lower(username) = 'root'`);
    let rootId = root?.id;
    if (rootId === undefined) {
      rootId = await insertUser(tx, sql`'root', 'Administrator', 'admin@example.com', 'human', true, true, 100000`);
      made.users.push(rootId);
      made.namespaces.push(await insertUserNamespace(tx, rootId, 'root', 'Administrator'));
    }
    for (const internal of internalUsers) {
      const known = await tx.one(sql`select id from users where user_type = ${internal.type}`);
      if (known === undefined) made.users.push(await insertInternalUser(tx, internal));
    }
    if (rootToken !== undefined) await replaceRootToken(tx, rootId, digest(rootToken));
    if (made.users.length === 0) return;
    await recordDirectoryChange(tx, [
      ...(await userChanges(tx, made.users)),
      ...(await namespaceChanges(tx, made.namespaces)),
    ]);
    logger.info({ users: made.users }, 'users of the instance itself were made');
  });
}

/** The users of `internalUserTypes`. An instance that is older than one of them gets it at its next start. */
const internalUsers: readonly InternalUser[] = [
  { type: 'ghost', username: 'ghost', name: 'Ghost User' },
  { type: 'alert_bot', username: 'alert-bot', name: 'Alert Bot' },
];

interface InternalUser {
  readonly type: (typeof internalUserTypes)[number];
  readonly username: string;
  readonly name: string;
}

/** Somebody may have the name already: the user then gets the first free one with a number. */
async function insertInternalUser(tx: Tx, { type, username, name }: InternalUser): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const free = attempt === 1 ? username : `${username}${attempt}`;
    const row = await tx.one<{ id: number }>(sql`
      insert into users (username, name, email, user_type, admin, can_create_group, projects_limit, confirmed_at)
      select ${free}, ${name}, ${`${free}@noreply.localhost`}, ${type}, false, false, 0, now()
      where not exists (select from namespaces where lower(full_path) = ${free})
      on conflict do nothing returning id`);
    if (row !== undefined) return row.id;
  }
}

async function insertUser(tx: Tx, fields: ReturnType<typeof sql>): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into users (username, name, email, user_type, admin, can_create_group, projects_limit, confirmed_at)
    values (${fields}, now()) returning id`);
  if (row === undefined) throw new Error('the user was not inserted');
  return row.id;
}

async function replaceRootToken(tx: Tx, rootId: number, digest: Buffer): Promise<void> {
  const known = await tx.one<{ kind: string }>(
    sql`select kind from personal_access_tokens where token_digest = ${digest}`,
  );
  await tx.query(sql`
    update personal_access_tokens set revoked = true, updated_at = now()
    where kind = 'bootstrap' and not revoked and token_digest <> ${digest}`);
  if (known !== undefined) return;
  await tx.query(sql`
    insert into personal_access_tokens (user_id, name, description, token_digest, scopes, kind)
    values (${rootId}::bigint, 'Administrator', 'SWITCHYARD_ROOT_TOKEN', ${digest}, ${scopes}::text[], 'bootstrap')`);
}
