import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { EventBus } from '@switchyard/events';
import { DiscussionServiceService } from '@switchyard/protos/collaboration/v1/discussion';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { IntegrationServiceService } from '@switchyard/protos/groups_admin/v1/integration';
import { JobTokenServiceService } from '@switchyard/protos/groups_admin/v1/job_token';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import {
  type ResolvedVariable,
  type ResolveVariablesRequest,
  VariableServiceService,
} from '@switchyard/protos/groups_admin/v1/variable';
import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import type { CallOptions, Peer } from '@switchyard/rpc';

/** A peer that answers some services from this process. */
const peerOf = (answers: ReadonlyMap<unknown, object>): Peer => ({
  client: ((definition: unknown) => {
    const found = answers.get(definition);
    if (found === undefined) throw new Error('the stand-in does not answer this service');
    return found;
  }) as Peer['client'],
  reach: async () => undefined,
  close: () => undefined,
});

/** Labels as groups-admin keeps them, in the local directory alone. */
async function ensureLabels(
  db: Database,
  { projectId, titles, create }: { projectId: number; titles: readonly string[]; create: boolean },
) {
  if (create && titles.length > 0) {
    await db.query(sql`
      insert into directory.labels (id, project_id, title, color, description)
      select (select coalesce(max(id), 0) from directory.labels) + row_number() over (), ${projectId}, title, '#6699cc', 'A label'
      from unnest(${[...new Set(titles)]}::text[]) as given (title)
      where not exists (select 1 from directory.labels l where l.project_id = ${projectId} and l.title = given.title)`);
  }
  return db.query<{ id: number; title: string }>(sql`
    select id, title from directory.labels where project_id = ${projectId} and title = any(${[...titles]}::text[]) order by id`);
}

/** Variables that a groups-admin resolves, hidden ones with their values, and what it was requested. */
export const variablesOfProjects = {
  variables: [] as (ResolvedVariable & { hidden?: boolean })[],
  requests: [] as ResolveVariablesRequest[],
};

/**
 * The services that merge-requests calls, where a test writes the local directory itself. `announced` takes new default
 * branches.
 */
export const standInPeers = (db: Database, announced: [number, string][] = []): Record<string, Peer> => ({
  'groups-admin': peerOf(
    new Map<unknown, object>([
      [
        DirectoryServiceService,
        {
          async readChanges({ after, waitMs }: { after: number; waitMs: number }, { signal }: CallOptions) {
            await pause(waitMs, undefined, { signal });
            return { changes: [], head: after, format: 0 };
          },
        },
      ],
      [
        IntegrationServiceService,
        {
          listTrackers: async ({ projectIds }: { projectIds: number[] }) => ({
            trackers: projectIds.map((projectId) => ({
              ...{ projectId, slug: 'redmine', ownsNumbers: false, keyExpression: '', keyPrefix: '' },
              issuesUrl: `https://tracker.example/${projectId}/:id`,
            })),
          }),
        },
      ],
      [
        LabelServiceService,
        {
          ensureLabels: async (wanted: { projectId: number; titles: string[]; create: boolean }) => ({
            labels: await ensureLabels(db, wanted),
            directorySequence: 0,
          }),
        },
      ],
      [
        VariableServiceService,
        {
          async resolveVariables(request: ResolveVariablesRequest) {
            variablesOfProjects.requests.push(request);
            return {
              variables: variablesOfProjects.variables
                .filter(({ isProtected }) => request.protectedRef || !isProtected)
                .map(({ hidden, ...one }) => (hidden && !request.withHidden ? { ...one, value: undefined } : one)),
            };
          },
        },
      ],
      [
        JobTokenServiceService,
        {
          issueJobToken: async (wanted: { pipelineId: number; run: number; userId: number }) => ({
            token: `glcbt-${wanted.pipelineId}-${wanted.run}-${wanted.userId}`,
            expiresAt: new Date('2030-01-01T00:00:00Z'),
          }),
        },
      ],
      [
        ProjectServiceService,
        {
          async setDefaultBranch({ projectId, branch }: { projectId: number; branch: string }) {
            announced.push([projectId, branch]);
          },
        },
      ],
    ]),
  ),
  collaboration: peerOf(new Map([[DiscussionServiceService, { countNotes: async () => ({ version: 0 }) }]])),
  'imports-exports': peerOf(new Map([[ArchiveBundleServiceService, {}]])),
});

/** A bus that takes every event and delivers none. */
export const silentBus: EventBus = {
  check: async () => undefined,
  publish: async () => undefined,
  subscribe: async () => ({ close: async () => undefined }),
  drain: async () => 0,
  lag: async () => 0,
  close: async () => undefined,
};
