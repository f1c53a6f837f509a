import { type Database, isUniqueViolation } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { reserveIids } from '../../iids';
import type { ImportedDeployment, ImportedEnvironment } from '../domain/imported-deployment';
import { insertEnvironment } from './environment.store';

/** Opens the store of imported environments and deployments. */
export function deploymentImportStore(db: Database) {
  const addOne = (projectId: number, one: ImportedEnvironment): Promise<void> =>
    db.transaction(async (tx) => {
      const made = await insertEnvironment(tx, { ...one, projectId });
      if (made === undefined) return;
      await tx.query(sql`
        update environments set state = ${one.state}, auto_delete_at = ${one.autoDeleteAt ?? null},
          created_at = ${one.createdAt}, updated_at = ${one.updatedAt}
        where id = ${made.id as number}`);
    });

  return {
    reserve: (projectId: number, highest: number): Promise<void> => reserveIids(db, projectId, 'deployments', highest),

    async addEnvironments(projectId: number, given: readonly ImportedEnvironment[]): Promise<number> {
      let added = 0;
      for (const one of given) {
        try {
          await addOne(projectId, one);
          added += 1;
        } catch (error) {
          // Another name has the slug.
          if (!isUniqueViolation(error, 'environments_slug')) throw error;
        }
      }
      return added;
    },

    // The environments are locked first, then the counter, as for one that is made here.
    addDeployments: (projectId: number, given: readonly ImportedDeployment[]): Promise<number> =>
      db.transaction(async (tx) => {
        const environments = await tx.query<{ id: number; name: string }>(sql`
          select id, name from environments where project_id = ${projectId}
            and name = any(${given.map(({ environment }) => environment)}::text[])
          order by id for no key update`);
        const idOf = new Map(environments.map(({ id, name }) => [name, id]));
        const rows = given.flatMap(({ environment, ...one }) => {
          const environmentId = idOf.get(environment);
          return environmentId === undefined ? [] : [{ environmentId, ...one }];
        });
        if (rows.length === 0) return 0;
        await reserveIids(tx, projectId, 'deployments', Math.max(...rows.map(({ iid }) => iid)));
        const json = JSON.stringify(rows);
        const added = await tx.query<{ id: number; iid: number }>(sql`
          insert into deployments (iid, project_id, environment_id, user_id, sha, ref, tag, status, created_at, updated_at, finished_at)
          select iid, ${projectId}, "environmentId", "userId", sha, ref, tag, status, "createdAt", "updatedAt", "finishedAt"
          from jsonb_to_recordset(${json}::jsonb) as given (iid bigint, "environmentId" bigint, "userId" bigint, sha text,
            ref text, tag boolean, status text, "createdAt" timestamptz, "updatedAt" timestamptz, "finishedAt" timestamptz)
          order by iid on conflict (project_id, iid) do nothing returning id, iid`);
        const madeOf = new Map(added.map(({ id, iid }) => [iid, id]));
        const made = rows.flatMap((row) => {
          const id = madeOf.get(row.iid);
          return id === undefined ? [] : [{ ...row, id }];
        });
        const last = made.filter(({ isLast, status }) => isLast && status === 'success');
        // What was put on it here since stays.
        await tx.query(sql`
          update environments en set last_deployment_id = given.id
          from unnest(${last.map(({ environmentId }) => environmentId)}::bigint[], ${last.map(({ id }) => id)}::bigint[])
            as given (environment_id, id)
          where en.id = given.environment_id and en.last_deployment_id is null`);
        await tx.query(sql`
          update environments en set deployed_at = greatest(en.deployed_at, given.at)
          from (select environment_id, max(updated_at) as at from deployments
            where id = any(${made.map(({ id }) => id)}::bigint[]) group by environment_id) given
          where en.id = given.environment_id`);
        const links = made.flatMap(({ id, mergeRequestIids }) => mergeRequestIids.map((iid) => ({ id, iid })));
        await tx.query(sql`
          insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
          select d.id, mr.id, en.name, en.tier = 'production', coalesce(d.finished_at, d.updated_at)
          from unnest(${links.map(({ id }) => id)}::bigint[], ${links.map(({ iid }) => iid)}::bigint[]) as given (id, iid)
            join deployments d on d.id = given.id join environments en on en.id = d.environment_id
            join merge_requests mr on mr.project_id = ${projectId} and mr.iid = given.iid
          order by d.id, mr.id on conflict do nothing`);
        return rows.length;
      }),
  };
}
