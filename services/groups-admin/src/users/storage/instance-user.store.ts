import { sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import { type internalUserTypes, noreplyAddress } from '../../rules';
import { insertUserNamespace } from './user.store';

interface InternalUser {
  readonly type: Exclude<(typeof internalUserTypes)[number], 'placeholder'>;
  readonly username: string;
  readonly name: string;
}

/** Advisory lock of the first start: replicas that start at the same time make the users one after another. */
const bootstrapLock = 72707380;

/** The users of `internalUserTypes` that are one each. An instance that is older than one of them gets it at its next start. */
const internalUsers: readonly InternalUser[] = [
  { type: 'ghost', username: 'ghost', name: 'Ghost User' },
  { type: 'alert_bot', username: 'alert-bot', name: 'Alert Bot' },
];

/** A user may have the name already: the internal user then gets the first free one with a number. */
async function insertInternalUser(tx: DirectoryTx, { type, username, name }: InternalUser): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const free = attempt === 1 ? username : `${username}${attempt}`;
    const [row] = await tx.write(
      'user',
      sql`insert into users (username, name, email, user_type, admin, can_create_group, projects_limit, confirmed_at)
        select ${free}, ${name}, ${noreplyAddress(free, 'localhost')}, ${type}, false, false, 0, now()
        where not exists (select from namespaces where lower(full_path) = ${free})
        on conflict do nothing returning id`,
    );
    if (row !== undefined) return row.id;
  }
}

async function insertRoot(tx: DirectoryTx): Promise<number> {
  const [root] = await tx.write(
    'user',
    sql`insert into users (username, name, email, user_type, admin, can_create_group, projects_limit, confirmed_at)
      values ('root', 'Administrator', 'admin@example.com', 'human', true, true, 100000, now()) returning id`,
  );
  if (root === undefined) throw new Error('the administrator was not inserted');
  await insertUserNamespace(tx, root.id, 'root', 'Administrator');
  return root.id;
}

/**
 * Makes the users that an instance needs: the administrator `root`, the ghost that replaces deleted users, and the bot
 * that opens and closes incidents. Those that exist stay as they are. Until the commit, another replica that starts
 * waits here.
 * @returns the id of `root`, and the ids of the users that were made
 */
export async function makeInstanceUsers(tx: DirectoryTx): Promise<{ rootId: number; made: number[] }> {
  await tx.query(sql`select pg_advisory_xact_lock(${bootstrapLock})`);
  const made: number[] = [];
  const root = await tx.one<{ id: number }>(sql`select id from users where lower(username) = 'root'`);
  const rootId = root?.id ?? (await insertRoot(tx));
  if (root === undefined) made.push(rootId);
  for (const internal of internalUsers) {
    const known = await tx.one(sql`select id from users where user_type = ${internal.type}`);
    if (known === undefined) made.push(await insertInternalUser(tx, internal));
  }
  return { rootId, made };
}
