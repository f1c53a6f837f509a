import type { Database, PageRequest, SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  labelsByIds,
  labelsByTitles,
  milestonesByIds,
  milestonesByTitle,
  type ResourceEventKind,
  type ResourceEventStore,
  resourceEventStore,
} from '@switchyard/directory';

const events = resourceEventStore(sql`issue_id`);

/** Records what a change did to state, labels and milestone, in its transaction. */
export const recordEvents: ResourceEventStore['record'] = events.record;

/** What stands in a project for labels and milestones of another one: what has the same title there. */
async function counterparts(
  tx: SqlExecutor,
  projectId: number,
  objects: readonly { readonly kind: string; readonly id: number }[],
): Promise<{ kind: string; id: number; there: number }[]> {
  const idsOf = (kind: string) => objects.filter((one) => one.kind === kind).map(({ id }) => id);
  const [labels, milestones] = [await labelsByIds(tx, idsOf('label')), await milestonesByIds(tx, idsOf('milestone'))];
  const titled = await labelsByTitles(
    tx,
    projectId,
    [...labels.values()].map(({ title }) => title),
  );
  const labelOf = new Map(titled.map(({ title, id }) => [title, id]));
  const milestoneOf = new Map<string, number | undefined>();
  for (const { title } of milestones.values())
    if (!milestoneOf.has(title)) milestoneOf.set(title, (await milestonesByTitle(tx, projectId, title))[0]?.id);
  return objects.flatMap(({ kind, id }) => {
    const there =
      kind === 'label' ? labelOf.get(labels.get(id)?.title ?? '') : milestoneOf.get(milestones.get(id)?.title ?? '');
    return there === undefined ? [] : { kind, id, there };
  });
}

/**
 * Copies the events of an issue to the one that takes its place. What names a label or milestone that the new project does not
 * have is left out: its readers might not read the old one's. Both rows of `issues` must be locked.
 */
export async function copyEvents(
  tx: SqlExecutor,
  fromId: number,
  to: { readonly id: number; readonly projectId: number },
): Promise<void> {
  const objects = await tx.query<{ kind: string; id: number }>(sql`
    select distinct kind, object_id as id from resource_events where issue_id = ${fromId} and object_id is not null`);
  const found = await counterparts(tx, to.projectId, objects);
  await tx.query(sql`
    insert into resource_events (issue_id, kind, action, object_id, user_id, created_at)
    select ${to.id}, e.kind, e.action, c.there, e.user_id, e.created_at from resource_events e
    left join unnest(${found.map(({ kind }) => kind)}::text[], ${found.map(({ id }) => id)}::bigint[],
      ${found.map(({ there }) => there)}::bigint[]) as c (kind, id, there) on c.kind = e.kind and c.id = e.object_id
    where e.issue_id = ${fromId} and (e.object_id is null or c.there is not null)
    order by e.id`);
}

/** Adds events that came in from elsewhere. */
export const bringEventsIn: ResourceEventStore['bringIn'] = events.bringIn;

/** Opens the reader of events. */
export const issueEventStore = (db: Database) => ({
  page: (issueId: number, kind: ResourceEventKind, request: PageRequest) => events.page(db, issueId, kind, request),
  find: (issueId: number, kind: ResourceEventKind, id: number) => events.find(db, issueId, kind, id),
});
