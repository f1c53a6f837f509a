import { isUniqueViolation, requireUnmodified, type Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { AppError } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type DirectoryTx, type DirectoryWriter, purgeBegun, recorded, waysOf } from '../../directory';
import type { Owners } from '../../members';
import { taken } from '../../rules';
import type { ForkFacts, ForkSource, RecordedCopy, RelationFacts } from '../domain/fork';
import type { ProjectCreation } from '../domain/project-change';
import { publishForkUnlinked, publishProjectCreated } from './project.events';
import { conflictsIn, insertProject, lockNamespace, noConflicts } from './project.rows';

/** Key of the lock that relations are made under: of two at once, each would miss that both together are a circle. */
const relationLock = 20_261_223;

/** Locks a project against its deletion and against other changes of its forks; undefined when it is gone. */
async function lockSource(tx: Tx, id: number, userId: number): Promise<ForkSource | undefined> {
  await tx.query(sql`select id from projects where id = ${id} for no key update`);
  return tx.one<ForkSource>(sql`
    select p.id, p.name, p.path, p.description, p.visibility, p.default_branch, p.repository_access_level,
      p.issues_access_level, p.merge_requests_access_level, p.feature_access_levels, p.forked_from_project_id,
      p.fork_network_id,
      case when n.owner_id = ${userId} then ${levels.owner}::int else coalesce((
        select max(way.level) from (${waysOf(userId, { ancestry: sql`n.ancestry`, projectId: sql`p.id` }, levels.guest)}) as way), 0) end as level,
      p.marked_for_deletion_at is not null or exists (
        select from namespaces a where a.id = any(n.ancestry) and a.marked_for_deletion_at is not null) as deleting
    from projects p join namespaces n on n.id = p.namespace_id where p.id = ${id}`);
}

/** Puts the root of a network into it, when it was not forked before. */
async function enterNetwork(tx: DirectoryTx, id: number, networkId: number): Promise<void> {
  await tx.write(
    'project',
    sql`update projects set fork_network_id = ${networkId} where id = ${id} and fork_network_id is null returning id`,
  );
}

/** A project and the forks that descend from it, as a `with` query named `family`. */
const family = (id: number): Sql => sql`with recursive family as (
  select ${id}::bigint as id union select f.id from projects f join family on f.forked_from_project_id = family.id)`;

/** Fork relations in the database; each change is one transaction with its events and directory changes. */
export const forkStore = ({ transaction }: Pick<DirectoryWriter, 'transaction'>, owners: Pick<Owners, 'add'>) => ({
  create: (
    request: {
      readonly sourceId: number;
      readonly namespaceId: number;
      readonly actorId: number;
      readonly name: string | undefined;
      readonly path: string | undefined;
    },
    decide: (facts: ForkFacts) => ProjectCreation,
  ): Promise<number> =>
    transaction(async (tx) => {
      const { sourceId, actorId } = request;
      const namespace = await lockNamespace(tx, request.namespaceId, actorId);
      const source = await lockSource(tx, sourceId, actorId);
      const names = { name: request.name ?? source?.name, path: request.path ?? source?.path };
      const conflicts = namespace ? await conflictsIn(tx, namespace.id, names) : noConflicts;
      const { project, ownerId } = decide({ namespace, source, conflicts });
      if (project.fork_network_id !== undefined) await enterNetwork(tx, sourceId, project.fork_network_id);
      const id = await insertProject(tx, project);
      if (ownerId !== undefined) await owners.add(tx, { kind: 'project', id }, ownerId, actorId);
      publishProjectCreated(tx, { id, actorId, originId: sourceId });
      return id;
    }).catch(refuseTaken),

  link: (
    { id, sourceId, actorId }: { readonly id: number; readonly sourceId: number; readonly actorId: number },
    decide: (facts: RelationFacts) => { readonly networkId: number },
  ): Promise<boolean> =>
    transaction(async (tx) => {
      await tx.query(sql`select count(*) from pg_advisory_xact_lock(${relationLock}::int)`);
      await tx.query(
        sql`select id from projects where id = any(${[id, sourceId]}::bigint[]) order by id for no key update`,
      );
      const project = await tx.one<RelationFacts['project']>(sql`
        select id, forked_from_project_id from projects
        where id = ${id} and marked_for_deletion_at is distinct from ${purgeBegun}`);
      if (project === undefined) return false;
      const source = await lockSource(tx, sourceId, actorId);
      const found = await tx.one<{ descends: boolean }>(
        sql`${family(id)} select exists (select from family where id = ${sourceId}) as descends`,
      );
      const { networkId } = decide({ project, source, descends: found?.descends ?? false });
      await enterNetwork(tx, sourceId, networkId);
      await tx.write(
        'project',
        sql`update projects set updated_at = now(), forked_from_project_id = ${sourceId} where id = ${id} returning id`,
      );
      await tx.write(
        'project',
        sql`${family(id)} update projects p set fork_network_id = ${networkId} from family where p.id = family.id returning p.id`,
      );
      return true;
    }),

  unlink: (id: number, actorId: number, unmodifiedSince?: Date): Promise<boolean> =>
    transaction(async (tx) => {
      const fork = await tx.one<{ source: number | null }>(sql`
        select forked_from_project_id as source from projects
        where id = ${id} and marked_for_deletion_at is distinct from ${purgeBegun} for no key update`);
      if (fork === undefined || fork.source === null) return false;
      await requireUnmodified(tx, 'projects', id, unmodifiedSince);
      await tx.write(
        'project',
        sql`update projects set updated_at = now(), forked_from_project_id = null, fork_network_id = null
          where id = ${id} returning id`,
      );
      await tx.write(
        'project',
        sql`update projects set forked_from_project_id = null where forked_from_project_id = ${id} returning id`,
      );
      publishForkUnlinked(tx, { id, actorId, sourceId: fork.source });
      return true;
    }),

  /** Records how the copy of a repository ended; within the transaction that consumes the event. */
  copied: (tx: Tx, id: number, { error, readmePath, defaultBranch }: RecordedCopy): Promise<void> =>
    recorded(tx, async (recording) => {
      // A default branch that was chosen in the meantime stays.
      if (defaultBranch !== undefined)
        await recording.write(
          'project',
          sql`update projects set default_branch = ${defaultBranch.name}
            where id = ${id} and import_status = 'scheduled' and default_branch = ${defaultBranch.missing} returning id`,
        );
      const status = error === undefined ? 'finished' : 'failed';
      await recording.writeHidden(sql`
        update projects set import_status = ${status}, import_error = ${error ?? null}::text,
          readme_path = coalesce(readme_path, ${readmePath ?? null}::text)
        where id = ${id} and import_status = 'scheduled'`);
    }),
});

/** When another project was created concurrently, a unique index refuses the name or path. */
function refuseTaken(error: unknown): never {
  if (isUniqueViolation(error, 'projects_path_unique')) throw new AppError('conflict', { message: { path: [taken] } });
  if (isUniqueViolation(error, 'projects_name_unique')) throw new AppError('conflict', { message: { name: [taken] } });
  throw error;
}
