import {
  type ClauseTable,
  clausesOf,
  type Database,
  given,
  isUniqueViolation,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import { AppError, invalid, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { nextIid } from '../../iids';
import {
  type BroughtIn,
  type Deployment,
  type DeploymentFilter,
  type DeploymentStatus,
  type DeploymentView,
  decideStatus,
  hasEnded,
  type NewDeployment,
} from '../domain/deployment';
import type { Environment } from '../domain/environment';
import { publishDeployment } from './deployment.events';
import { insertEnvironment, toEnvironment } from './environment.store';

faultPoints.push('deployment.written');

const toDeployment = (row: Record<string, unknown>): Deployment => ({
  id: row.id as number,
  iid: row.iid as number,
  projectId: row.project_id as number,
  environmentId: row.environment_id as number,
  userId: row.user_id as number,
  sha: row.sha as string,
  ref: row.ref as string,
  tag: row.tag as boolean,
  status: row.status as DeploymentStatus,
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
  finishedAt: given(row.finished_at),
});

const select = sql`d.*, en.name as environment_name, en.slug as environment_slug, en.external_url as environment_url, ${userColumns('maker')}`;
const from = sql`deployments d join environments en on en.id = d.environment_id ${userJoin('maker', sql`d.user_id`)}`;

const toView = (row: Record<string, unknown>): DeploymentView => ({
  deployment: toDeployment(row),
  user: userOf(row, 'maker'),
  environment: {
    id: row.environment_id as number,
    name: row.environment_name as string,
    slug: row.environment_slug as string,
    externalUrl: given(row.environment_url),
  },
});

const id: OrderColumn = { name: 'id', expression: sql`d.id`, type: 'bigint' };
const time = (name: string, expression: OrderColumn['expression']): OrderColumn[] => [
  { name, expression, type: 'timestamptz' },
  id,
];
const orders: Record<string, OrderColumn[]> = {
  id: [id],
  iid: [{ name: 'iid', expression: sql`d.iid`, type: 'bigint' }, id],
  created_at: time('created_at', sql`d.created_at`),
  updated_at: time('updated_at', sql`d.updated_at`),
  finished_at: [{ name: 'finished_at', expression: sql`d.finished_at`, type: 'timestamptz', nullable: true }, id],
  ref: [{ name: 'ref', expression: sql`d.ref`, type: 'text' }, id],
};

const clauses: ClauseTable<DeploymentFilter> = {
  environment: (name) => sql`en.name = ${name}`,
  status: (status) => sql`d.status = ${status}`,
  updatedAfter: (date) => sql`d.updated_at > ${date}`,
  updatedBefore: (date) => sql`d.updated_at < ${date}`,
  finishedAfter: (date) => sql`d.finished_at > ${date}`,
  finishedBefore: (date) => sql`d.finished_at < ${date}`,
};

/**
 * Notes that a deployment is what is on its environment now, starts the environment where it had stopped, and links the
 * merge requests that came in. A merge request landed as its merge commit, its squashed commit, the commit of its
 * receipt, or the head of its branch; of one that is landing right now the branch may have moved already. False when git
 * was asked of another state of the locked environment.
 */
async function succeed(
  tx: Tx,
  { environment, ...deployment }: { id: number; projectId: number; environment: Environment },
  { since, commits }: BroughtIn,
  now: Date,
): Promise<boolean> {
  if (environment.lastDeploymentId !== since) return false;
  await tx.query(sql`
    update environments set state = 'available', last_deployment_id = ${deployment.id}, auto_delete_at = null,
      auto_stop_at = case when auto_stop_at > ${now} then auto_stop_at end
    where id = ${environment.id}`);
  await tx.query(sql`
    with given as materialized (select distinct sha from unnest(${[...commits]}::text[]) sha),
      landed as (
        select mr.id from given join merge_requests mr on mr.project_id = ${deployment.projectId} and mr.state = 'merged'
          and coalesce(mr.merge_commit_sha, mr.squash_commit_sha, mr.source_sha) = given.sha
        union
        select mr.id from given join landing_receipts r on r.project_id = ${deployment.projectId} and r.landed_sha = given.sha
          join merge_requests mr on mr.id = r.merge_request_id and mr.state = 'merged'
        union
        select mr.id from given join merge_request_merges plan on plan.project_id = ${deployment.projectId} and plan.new_sha = given.sha
          join merge_requests mr on mr.id = plan.merge_request_id and mr.state = 'locked')
    insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
    select ${deployment.id}, id, ${environment.name}, ${environment.tier === 'production'}, ${now} from landed order by id`);
  faultPoint('deployment.written');
  return true;
}

/** Ends a transaction in which nothing is to be kept. */
class Outdated extends Error {}

const unlessOutdated = async <T>(work: () => Promise<T>): Promise<T | 'outdated'> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Outdated) return 'outdated';
    throw error;
  }
};

// The environment is locked first, then its deployment, then the counter.
async function lockEnvironment(tx: Tx, projectId: number, name: string): Promise<Environment> {
  const row =
    (await insertEnvironment(tx, { projectId, name })) ??
    (await tx.one(sql`
      select * from environments where project_id = ${projectId} and name = ${name} for no key update`));
  // It was deleted between the two statements: asked again.
  if (row === undefined) throw new Outdated();
  return toEnvironment(row);
}

/** The table of deployments, and what they bring in. */
export const deploymentStore = (db: Database) => ({
  async list(
    projectId: number,
    filter: DeploymentFilter,
    request: PageRequest,
  ): Promise<{ rows: DeploymentView[]; page: PageInfo }> {
    const { rows, page } = await listPage({
      db,
      name: 'list_deployments',
      select,
      from,
      where: [sql`d.project_id = ${projectId}`, ...clausesOf(clauses, filter, undefined)],
      orders,
      request,
      count: true,
      countFrom: sql`deployments d join environments en on en.id = d.environment_id`,
    });
    return { rows: rows.map(toView), page };
  },

  async find(projectId: number, deploymentId: number): Promise<DeploymentView | undefined> {
    const row = await db.one(
      sql`select ${select} from ${from} where d.id = ${deploymentId} and d.project_id = ${projectId}`,
    );
    return row && toView(row);
  },

  lastOf: (projectId: number, environment: string): Promise<Pick<Deployment, 'id' | 'sha'> | undefined> =>
    db.one(sql`
      select d.id, d.sha from environments en join deployments d on d.id = en.last_deployment_id
      where en.project_id = ${projectId} and en.name = ${environment}`),

  async add(
    { projectId, environment: name, userId, sha, ref, tag, status }: NewDeployment,
    broughtIn: BroughtIn | undefined,
    now: Date,
  ): Promise<number | 'outdated'> {
    try {
      return await unlessOutdated(() =>
        db.transaction(async (tx) => {
          const environment = await lockEnvironment(tx, projectId, name);
          await tx.query(sql`update environments set deployed_at = ${now} where id = ${environment.id}`);
          const iid = await nextIid(tx, projectId, 'deployments');
          const row = await tx.one(sql`
            insert into deployments (iid, project_id, environment_id, user_id, sha, ref, tag, status, created_at, updated_at, finished_at)
            values (${iid}, ${projectId}, ${environment.id}, ${userId}, ${sha}, ${ref}, ${tag}, ${status}, ${now}, ${now},
              ${hasEnded(status) ? now : null})
            returning *`);
          const deployment = toDeployment(row!);
          const { id: made } = deployment;
          if (broughtIn !== undefined && !(await succeed(tx, { id: made, projectId, environment }, broughtIn, now)))
            throw new Outdated();
          await publishDeployment(tx, { deployment, environment, oldStatus: undefined, actorId: userId });
          return made;
        }),
      );
    } catch (error) {
      if (isUniqueViolation(error, 'environments_slug')) throw invalid({ environment: ['has already been taken'] });
      throw error;
    }
  },

  setStatus: (
    { projectId, id: deploymentId }: { readonly projectId: number; readonly id: number },
    actorId: number,
    status: DeploymentStatus,
    broughtIn: BroughtIn | undefined,
    now: Date,
  ): Promise<'set' | 'outdated'> =>
    unlessOutdated(() =>
      db.transaction(async (tx) => {
        const found = await tx.one(sql`
          select en.* from environments en where en.id = (
            select environment_id from deployments where id = ${deploymentId} and project_id = ${projectId})
          for no key update of en`);
        const row = await tx.one<{ status: DeploymentStatus }>(
          sql`select status from deployments where id = ${deploymentId} and project_id = ${projectId} for no key update`,
        );
        if (found === undefined || row === undefined) throw notFound();
        if (!decideStatus(row.status, status)) return 'set' as const;
        const environment = toEnvironment(found);
        await tx.query(sql`update environments set deployed_at = ${now} where id = ${environment.id}`);
        const changed = await tx.one(sql`
          update deployments set status = ${status}, updated_at = ${now}, finished_at = ${hasEnded(status) ? now : null}
          where id = ${deploymentId} returning *`);
        if (
          broughtIn !== undefined &&
          !(await succeed(tx, { id: deploymentId, projectId, environment }, broughtIn, now))
        )
          throw new Outdated();
        const deployment = toDeployment(changed!);
        await publishDeployment(tx, { deployment, environment, oldStatus: row.status, actorId });
        return 'set' as const;
      }),
    ),

  remove: (projectId: number, deploymentId: number, unmodifiedSince: Date | undefined): Promise<void> =>
    db.transaction(async (tx) => {
      const last = await tx.one<{ last_deployment_id: number | null }>(sql`
        select last_deployment_id from environments where id = (
          select environment_id from deployments where id = ${deploymentId} and project_id = ${projectId})
        for no key update`);
      const row = await tx.one<{ status: DeploymentStatus }>(
        sql`select status from deployments where id = ${deploymentId} and project_id = ${projectId} for update`,
      );
      if (last === undefined || row === undefined) throw notFound();
      if (row.status === 'running') throw new AppError('bad_request', 'Cannot destroy running deployment');
      if (last.last_deployment_id === deploymentId)
        throw new AppError('bad_request', 'Deployment currently deployed to environment');
      await requireUnmodified(tx, 'deployments', deploymentId, unmodifiedSince);
      await tx.query(sql`delete from deployments where id = ${deploymentId}`);
    }),
});
