import { type Database, listPage, type PageInfo, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { invalidParams } from '@switchyard/errors';
import { displayText, isShowableTime } from '@switchyard/texts';
import {
  type AttachedLabel,
  type AttachedMilestone,
  labelsJson,
  milestoneJson,
  milestoneReference,
} from './attachments';
import { labelsByTitles, milestonesInScope } from './labels';
import type { ProjectRow } from './projects';
import { type UserReference, type UserRow, userColumns, userJoin, userOf, userReference } from './users';

/** What an event of an issue or a merge request is about. */
export type ResourceEventKind = 'state' | 'label' | 'milestone';

const kinds: readonly string[] = ['state', 'label', 'milestone'] satisfies ResourceEventKind[];

/** The kind of a name. @throws AppError invalid_params for an unknown one */
export function resourceEventKind(name: string): ResourceEventKind {
  if (!kinds.includes(name)) throw invalidParams('kind does not have a valid value');
  return name as ResourceEventKind;
}

/** State, labels and milestone of an issue or a merge request. */
export interface ResourceState {
  readonly state: string;
  readonly labelIds: readonly number[];
  readonly milestoneId: number | undefined;
}

/** One event to be recorded. */
interface NewEvent {
  readonly kind: ResourceEventKind;
  /** `add` or `remove`; of a state what became of it. */
  readonly action: string;
  /** The label or milestone. */
  readonly objectId: number | undefined;
}

/**
 * What became of a state; undefined when nothing that is shown: the state inside a merge, `locked`, is not.
 * @param before undefined for what is new, whose first state is no event
 */
function stateChange(before: string | undefined, after: string): string | undefined {
  if (before === undefined || before === after || after === 'locked') return undefined;
  if (after === 'opened') return before === 'closed' ? 'reopened' : undefined;
  return after;
}

/**
 * The events between two states, in the order in which they are listed.
 * @param before undefined for what is new
 */
export function resourceEventsOf(before: ResourceState | undefined, after: ResourceState): NewEvent[] {
  const state = stateChange(before?.state, after.state);
  const [was, is] = [before?.labelIds ?? [], after.labelIds];
  const events: NewEvent[] = state === undefined ? [] : [{ kind: 'state', action: state, objectId: undefined }];
  for (const id of is) if (!was.includes(id)) events.push({ kind: 'label', action: 'add', objectId: id });
  for (const id of was) if (!is.includes(id)) events.push({ kind: 'label', action: 'remove', objectId: id });
  if (before?.milestoneId !== after.milestoneId) {
    for (const [action, objectId] of [
      ['remove', before?.milestoneId],
      ['add', after.milestoneId],
    ] as const)
      if (objectId !== undefined) events.push({ kind: 'milestone', action, objectId });
  }
  return events;
}

/** An event as it is read. */
export interface ResourceEvent {
  readonly id: number;
  readonly kind: ResourceEventKind;
  readonly action: string;
  readonly createdAt: Date;
  readonly user: UserRow | undefined;
  readonly label: AttachedLabel | undefined;
  readonly milestone: AttachedMilestone | undefined;
}

/** An event that came in from elsewhere; see the proto. */
export interface ImportedEvent {
  readonly ownerId: number;
  readonly key: string;
  readonly kind: string;
  readonly action: string;
  readonly title: string;
  /** 0 for nobody who is known. */
  readonly userId: number;
  readonly createdAt: Date;
}

const actionsOf: Readonly<Record<string, readonly string[]>> = {
  state: ['closed', 'reopened', 'merged'],
  label: ['add', 'remove'],
  milestone: ['add', 'remove'],
} satisfies Record<ResourceEventKind, readonly string[]>;

/** Characters of a key. */
const maxKey = 100;

const isImportable = ({ key, kind, action, createdAt }: ImportedEvent): boolean =>
  key !== '' && key.length <= maxKey && (actionsOf[kind]?.includes(action) ?? false) && isShowableTime(createdAt);

/** Writes and reads events of one service. */
export interface ResourceEventStore {
  /** Records what a change did, in its transaction. @param actorId 0 for no user */
  record(
    tx: SqlExecutor,
    ownerId: number,
    actorId: number,
    before: ResourceState | undefined,
    after: ResourceState,
  ): Promise<void>;
  /**
   * Adds what came in from elsewhere, each once by its key; returns how many are there now. The owners are locked. Labels
   * and milestones that the project does not have are left out.
   */
  bringIn(tx: SqlExecutor, projectId: number, events: readonly ImportedEvent[]): Promise<number>;
  /** One page of the events of a kind, oldest first. */
  page(
    db: Database,
    ownerId: number,
    kind: ResourceEventKind,
    request: PageRequest,
  ): Promise<{ rows: ResourceEvent[]; page: PageInfo }>;
  /** One event; undefined when it is none of this owner and kind. */
  find(db: SqlExecutor, ownerId: number, kind: ResourceEventKind, id: number): Promise<ResourceEvent | undefined>;
}

/**
 * The table `resource_events` of a service: rows of their own, written in the transaction of the change.
 * @param owner column that names the issue or merge request
 */
export function resourceEventStore(owner: Sql): ResourceEventStore {
  const select = sql`e.id, e.kind, e.action, e.created_at, ${userColumns('actor')},
    case e.kind when 'label' then ${labelsJson(sql`array[e.object_id]`)} end as labels,
    case e.kind when 'milestone' then ${milestoneJson(sql`e.object_id`)} end as milestone`;
  const from = sql`resource_events e ${userJoin('actor', sql`e.user_id`)}`;
  const toEvent = (row: Record<string, unknown>): ResourceEvent => ({
    id: row.id as number,
    kind: row.kind as ResourceEventKind,
    action: row.action as string,
    createdAt: row.created_at as Date,
    user: userOf(row, 'actor'),
    label: (row.labels as AttachedLabel[] | null)?.[0],
    milestone: (row.milestone as AttachedMilestone | null) ?? undefined,
  });
  return {
    async record(tx, ownerId, actorId, before, after) {
      const events = resourceEventsOf(before, after);
      if (events.length === 0) return;
      await tx.query(sql`
        insert into resource_events (${owner}, kind, action, object_id, user_id) values ${join(
          events.map(
            ({ kind, action, objectId }) =>
              sql`(${ownerId}, ${kind}, ${action}, ${objectId ?? null}, ${actorId === 0 ? null : actorId})`,
          ),
          ', ',
        )}`);
    },

    async bringIn(tx, projectId, events) {
      const wanted = events.filter(isImportable);
      const titlesOf = (kind: ResourceEventKind) => [
        ...new Set(wanted.filter((one) => one.kind === kind).map(({ title }) => displayText(title))),
      ];
      const labels = await labelsByTitles(tx, projectId, titlesOf('label'));
      const milestones = await milestonesInScope(tx, projectId, { titles: titlesOf('milestone'), ids: [] });
      const ids = {
        label: new Map(labels.map(({ title, id }) => [title, id])),
        // Of equal titles the nearest one comes first.
        milestone: new Map(milestones.map(({ title, id }) => [title, id] as const).reverse()),
      };
      const rows = wanted.flatMap((event): (ImportedEvent & { objectId: number | null })[] => {
        const { kind, title } = event;
        if (kind !== 'label' && kind !== 'milestone') return [{ ...event, objectId: null }];
        const objectId = ids[kind].get(displayText(title));
        return objectId === undefined ? [] : [{ ...event, objectId }];
      });
      const column = <T>(read: (row: (typeof rows)[number]) => T): T[] => rows.map(read);
      await tx.query(sql`
        insert into resource_events (${owner}, kind, action, object_id, user_id, created_at, imported_key)
        select owner, kind, action, object, nullif(actor, 0), created_at, key
        from unnest(${column(({ ownerId }) => ownerId)}::bigint[], ${column(({ kind }) => kind)}::text[],
          ${column(({ action }) => action)}::text[], ${column(({ objectId }) => objectId)}::bigint[],
          ${column(({ userId }) => userId)}::bigint[], ${column(({ createdAt }) => createdAt)}::timestamptz[],
          ${column(({ key }) => key)}::text[]) as given (owner, kind, action, object, actor, created_at, key)
        order by created_at, key on conflict (${owner}, imported_key) where imported_key is not null do nothing`);
      return rows.length;
    },

    async page(db, ownerId, kind, request) {
      const { rows, page } = await listPage({
        db,
        name: 'list_resource_events',
        select,
        from,
        countFrom: sql`resource_events e`,
        where: [sql`e.${owner} = ${ownerId}`, sql`e.kind = ${kind}`],
        // Imported events may come in with any dates.
        orders: {
          id: [
            { name: 'created_at', expression: sql`e.created_at`, type: 'timestamptz' },
            { name: 'id', expression: sql`e.id`, type: 'bigint' },
          ],
        },
        request,
        count: true,
      });
      return { rows: rows.map(toEvent), page };
    },

    async find(db, ownerId, kind, id) {
      const [row] = await db.query<Record<string, unknown>>(
        sql`select ${select} from ${from} where e.id = ${id} and e.${owner} = ${ownerId} and e.kind = ${kind}`,
      );
      return row === undefined ? undefined : toEvent(row);
    },
  };
}

/** What an event is shown with. */
interface ResourceRendering {
  readonly type: 'Issue' | 'MergeRequest';
  readonly ownerId: number;
  readonly project: ProjectRow;
  readonly externalUrl: string;
  readonly now: Date;
}

/** The public event: what it is about is null once that is deleted. */
export function resourceEvent(
  { id, kind, action, createdAt, user, label, milestone }: ResourceEvent,
  { type, ownerId, project, externalUrl, now }: ResourceRendering,
) {
  const shared: {
    id: number;
    user: UserReference | null;
    created_at: string;
    resource_type: string;
    resource_id: number;
  } = {
    id,
    user: user === undefined ? null : userReference(user, externalUrl),
    created_at: createdAt.toISOString(),
    resource_type: type,
    resource_id: ownerId,
  };
  if (kind === 'state') return { ...shared, state: action };
  if (kind === 'label') {
    const { title: name, color, description } = label ?? { title: '', color: '', description: null };
    return { ...shared, label: label === undefined ? null : { id: label.id, name, color, description }, action };
  }
  return {
    ...shared,
    milestone: milestone === undefined ? null : milestoneReference(milestone, project, externalUrl, now),
    action,
  };
}
