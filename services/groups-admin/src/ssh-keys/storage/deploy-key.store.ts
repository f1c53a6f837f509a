import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { type DirectoryWriter, memberProjects, type Viewer } from '../../directory';
import { keyTaken, type NewKey } from '../domain/ssh-key';
import type { DeployKeyRow, EnabledProjectRow } from '../domain/ssh-key-row';
import { keyColumns } from './ssh-key.columns';

const columns = sql`${keyColumns}, e.can_push`;

const ofProject = sql`ssh_keys k join deploy_key_projects e on e.deploy_key_id = k.id left join users u on u.id = k.user_id`;

const ofInstance = sql`ssh_keys k left join users u on u.id = k.user_id`;

const byId = { id: [{ name: 'id', expression: sql`k.id`, type: 'bigint' as const }] };

/** Most projects of one key that a list shows. */
const maxShownProjects = 100;

/** Deploy keys that an actor may enable in a project of theirs: a condition on `ssh_keys k`. */
const mayEnable = (actor: Viewer): Sql => sql`k.kind = 'deploy' and (k.public or exists (
  select from deploy_key_projects e join projects p on p.id = e.project_id
  where e.deploy_key_id = k.id and ${actor.admin ? sql`true` : memberProjects(actor, levels.maintainer)}))`;

/** Enables a key in a project; false when it was enabled before. */
async function enableIn(tx: Tx, keyId: number, projectId: number, canPush: boolean): Promise<boolean> {
  const enabled = await tx.query(sql`
    insert into deploy_key_projects (deploy_key_id, project_id, can_push) values (${keyId}, ${projectId}, ${canPush})
    on conflict (project_id, deploy_key_id) do nothing returning id`);
  return enabled.length > 0;
}

async function insertKey(
  tx: Tx,
  { title, publicKey, expiresAt }: NewKey,
  actorId: number,
  isPublic: boolean,
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`
    insert into ssh_keys (kind, creator_id, title, key, fingerprint_md5, fingerprint_sha256, public, expires_at)
    values ('deploy', ${actorId}, ${title}, ${publicKey.text}, ${publicKey.md5}, ${publicKey.sha256}, ${isPublic},
      ${expiresAt ?? null}::timestamptz)
    returning id`);
  if (row === undefined) throw new Error('a deploy key was not inserted');
  return row.id;
}

function refuseViolation(error: unknown): undefined {
  if (isUniqueViolation(error, 'ssh_keys_sha256')) throw keyTaken();
  if (isForeignKeyViolation(error)) return undefined;
  throw error;
}

/** Deploy keys in the database. */
export const deployKeyStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  listOfProject: (projectId: number, request: PageRequest): Promise<{ rows: DeployKeyRow[]; page: PageInfo }> =>
    listPage<DeployKeyRow>({
      db,
      name: 'list_deploy_keys_of_project',
      select: columns,
      from: ofProject,
      where: [sql`e.project_id = ${projectId}`],
      orders: { id: [{ name: 'id', expression: sql`e.deploy_key_id`, type: 'bigint' }] },
      request,
      count: true,
    }),

  listAll: (publicOnly: boolean, request: PageRequest): Promise<{ rows: DeployKeyRow[]; page: PageInfo }> =>
    listPage<DeployKeyRow>({
      db,
      name: 'list_deploy_keys',
      select: sql`${keyColumns}, null::boolean as can_push`,
      from: ofInstance,
      where: [sql`k.kind = 'deploy'`, ...(publicOnly ? [sql`k.public`] : [])],
      orders: byId,
      request,
      count: true,
    }),

  projectsOf: (keyIds: readonly number[]): Promise<EnabledProjectRow[]> =>
    db.query<EnabledProjectRow>(sql`
      select enabled.deploy_key_id, enabled.can_push, p.id, p.description, p.name, p.path, p.created_at,
        n.full_name || ' / ' || p.name as name_with_namespace, n.full_path || '/' || p.path as path_with_namespace
      from unnest(${[...keyIds]}::bigint[]) as key (id)
      cross join lateral (
        select e.* from deploy_key_projects e where e.deploy_key_id = key.id order by e.id limit ${maxShownProjects}) as enabled
      join projects p on p.id = enabled.project_id join namespaces n on n.id = p.namespace_id
      order by enabled.id`),

  find: (projectId: number, keyId: number): Promise<DeployKeyRow | undefined> =>
    db.one<DeployKeyRow>(
      sql`select ${columns} from ${ofProject} where k.id = ${keyId} and e.project_id = ${projectId}`,
    ),

  findPublic: (keyId: number): Promise<DeployKeyRow | undefined> =>
    db.one<DeployKeyRow>(
      sql`select ${keyColumns}, null::boolean as can_push from ${ofInstance} where k.id = ${keyId} and k.public`,
    ),

  create: (
    actor: Viewer,
    key: NewKey,
    within: { readonly projectId: number; readonly canPush: boolean } | undefined,
  ): Promise<number | undefined> =>
    transaction(async (tx) => {
      if (within === undefined) return insertKey(tx, key, actor.userId, true);
      // Locked, so that the key does not go with its last project before it is enabled in this one.
      const known = await tx.one<{ id: number; expires_at: Date | null }>(sql`
        select k.id, k.expires_at from ssh_keys k where k.fingerprint_sha256 = ${key.publicKey.sha256} and (${mayEnable(actor)})
        for update of k`);
      const id = known?.id ?? (await insertKey(tx, key, actor.userId, false));
      // Enabled here before, or with another end than was requested: the reply would not be what was sent.
      const isEnabled = await enableIn(tx, id, within.projectId, within.canPush);
      if (!isEnabled || (known !== undefined && known.expires_at?.getTime() !== key.expiresAt?.getTime()))
        throw keyTaken();
      return id;
    }).catch(refuseViolation),

  update: (
    projectId: number,
    keyId: number,
    { title, canPush }: { readonly title: string | undefined; readonly canPush: boolean | undefined },
  ): Promise<boolean> =>
    transaction(async (tx) => {
      const changed = await tx.query(sql`
        update deploy_key_projects set can_push = coalesce(${canPush ?? null}::boolean, can_push), updated_at = now()
        where project_id = ${projectId} and deploy_key_id = ${keyId} returning id`);
      if (changed.length === 0) return false;
      // Of a key that others use as well the title stays: it is theirs too.
      if (title !== undefined) {
        await tx.query(sql`
          update ssh_keys k set title = ${title}, updated_at = now() where k.id = ${keyId} and not k.public
          and not exists (select from deploy_key_projects e where e.deploy_key_id = k.id and e.project_id <> ${projectId})`);
      }
      return true;
    }),

  enable: (actor: Viewer, projectId: number, keyId: number): Promise<boolean> =>
    transaction(async (tx) => {
      const known = await tx.one(
        sql`select k.id from ssh_keys k where k.id = ${keyId} and (${mayEnable(actor)}) for update of k`,
      );
      if (known === undefined) return false;
      await enableIn(tx, keyId, projectId, false);
      return true;
    }).catch((error) => refuseViolation(error) ?? false),

  remove: (projectId: number, keyId: number, unmodifiedSince?: Date): Promise<boolean> =>
    transaction(async (tx) => {
      await tx.query(sql`select from ssh_keys where id = ${keyId} for update`);
      const place = await tx.one<{ id: number }>(
        sql`select id from deploy_key_projects where project_id = ${projectId} and deploy_key_id = ${keyId}`,
      );
      if (place === undefined) return false;
      await requireUnmodified(tx, 'deploy_key_projects', place.id, unmodifiedSince);
      await tx.query(sql`delete from deploy_key_projects where id = ${place.id}`);
      await deleteUnused(tx, sql`k.id = ${keyId}`);
      return true;
    }),
});

const deleteUnused = (tx: Tx, which: Sql): Promise<unknown> =>
  tx.query(sql`
    delete from ssh_keys k where k.kind = 'deploy' and not k.public and ${which}
    and not exists (select from deploy_key_projects e where e.deploy_key_id = k.id)`);

/** Takes the deploy keys of projects that are deleted; those that no other project has enabled go with them. */
export async function forgetDeployKeys(tx: Tx, projectIds: readonly number[]): Promise<void> {
  // Locked first, as where a key is enabled: it must not go while another project enables it.
  await tx.query(sql`
    select from ssh_keys where id in (
      select deploy_key_id from deploy_key_projects where project_id = any(${[...projectIds]}::bigint[]))
    order by id for update`);
  const gone = await tx.query<{ id: number }>(sql`
    delete from deploy_key_projects where project_id = any(${[...projectIds]}::bigint[]) returning deploy_key_id as id`);
  await deleteUnused(tx, sql`k.id = any(${gone.map(({ id }) => id)}::bigint[])`);
}
