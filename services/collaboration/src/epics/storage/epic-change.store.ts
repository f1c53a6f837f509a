import type { Tx } from '@switchyard/database';
import { join, raw, sql } from '@switchyard/database/sql';
import { invalid, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { datesChannel, epicReaders, lockTrees, placeEpic, showsConfidential } from '../../epic-trees';
import { addParticipants, mentionedUsers, replaceLabels } from '../../issues';
import type { Epic } from '../domain/epic';
import type { EpicChange, EpicDecision, EpicFact, EpicPatch, LockedEpic, NewEpic } from '../domain/epic-change';
import { publishEpicFacts } from './epic.events';
import { epicColumns, toEpic } from './epic.row';

faultPoints.push('epic.written', 'epic.committed');

/** Column of each field a change may set. */
const patchColumns: Record<keyof EpicPatch, string> = {
  title: 'title',
  description: 'description',
  state: 'state',
  confidential: 'confidential',
  color: 'color',
  startDateIsFixed: 'start_date_is_fixed',
  startDateFixed: 'start_date_fixed',
  dueDateIsFixed: 'due_date_is_fixed',
  dueDateFixed: 'due_date_fixed',
  closedById: 'closed_by_id',
  closedAt: 'closed_at',
  updatedAt: 'updated_at',
};

async function takeIid(tx: Tx, groupId: number): Promise<number> {
  const row = await tx.one<{ iid: number }>(sql`
    insert into epic_counters (group_id, last_iid) values (${groupId}, 1)
    on conflict (group_id) do update set last_iid = epic_counters.last_iid + 1 returning last_iid as iid`);
  return row!.iid;
}

async function lock(tx: Tx, id: number): Promise<LockedEpic | undefined> {
  const row = await tx.one(sql`select ${epicColumns} from epics e where e.id = ${id} for no key update`);
  if (row === undefined) return undefined;
  const attached = await tx.one<{ labels: number[] }>(
    sql`select array(select label_id from epic_labels where epic_id = ${id} order by label_id) as labels`,
  );
  return { epic: toEpic(row), labelIds: attached!.labels };
}

/** Users whom facts mention and who can read the epic. */
const mentionedReaders = async (tx: Tx, epic: Epic, facts: readonly EpicFact[]): Promise<number[]> =>
  epicReaders(tx, epic, await mentionedUsers(tx, facts));

async function update(tx: Tx, id: number, patch: EpicPatch): Promise<Epic> {
  const sets = Object.entries(patch)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => sql`${raw(patchColumns[field as keyof EpicPatch])} = ${value}`);
  if (patch.updatedAt === undefined) sets.push(sql`updated_at = now()`);
  const row = await tx.one(sql`
    update epics e set ${join([...sets, sql`lock_version = lock_version + 1`], ', ')} where id = ${id}
    returning ${epicColumns}`);
  return toEpic(row!);
}

/** What follows from facts in their own transaction: participants and events. */
async function tell(tx: Tx, epic: Epic, facts: readonly EpicFact[], people: readonly number[], actorId: number) {
  await addParticipants(tx, 'epic', epic.id, [...people, ...(await mentionedReaders(tx, epic, facts))]);
  await publishEpicFacts(tx, { subject: epic, facts, actorId, occurredAt: new Date() });
}

async function saveChange(tx: Tx, { epic }: LockedEpic, change: EpicChange, actorId: number): Promise<Epic> {
  const after = await update(tx, epic.id, change.patch);
  if (change.parentId !== undefined) await placeEpic(tx, epic.id, change.parentId ?? undefined);
  if (change.patch.confidential !== undefined && (await showsConfidential(tx, { epicId: epic.id }))) {
    const problem = change.patch.confidential
      ? 'cannot be set while the epic has issues or child epics that are not confidential'
      : 'cannot be taken from an epic below a confidential one';
    throw invalid({ confidential: [problem] });
  }
  tx.notify(datesChannel);
  if (change.labelIds !== undefined) await replaceLabels(tx, 'epic', epic.id, change.labelIds);
  await tell(tx, after, change.facts, change.participants ?? [], actorId);
  return after;
}

async function saveDeletion(tx: Tx, { epic }: LockedEpic, facts: readonly EpicFact[], actorId: number): Promise<Epic> {
  await publishEpicFacts(tx, { subject: epic, facts, actorId, occurredAt: new Date() });
  await tx.query(sql`delete from award_emoji where awardable_type = 'Epic' and awardable_id = ${epic.id}`);
  await tx.query(sql`delete from epics where id = ${epic.id}`);
  tx.notify(datesChannel);
  return epic;
}

/** Before and after the commit, for tests that kill the process there. */
function markFaults(tx: Tx): void {
  faultPoint('epic.written');
  tx.afterCommit(() => faultPoint('epic.committed'));
}

/** Opens an epic with its labels and event, in the name of its author. */
export async function openEpic(tx: Tx, wanted: NewEpic): Promise<Epic> {
  if (wanted.parentId !== undefined) await lockTrees(tx);
  const iid = await takeIid(tx, wanted.groupId);
  const row = await tx.one(sql`
    insert into epics as e (iid, group_id, author_id, title, description, confidential, color, start_date_is_fixed,
      start_date_fixed, due_date_is_fixed, due_date_fixed, created_at, updated_at)
    values (${iid}, ${wanted.groupId}, ${wanted.authorId}, ${wanted.title}, ${wanted.description ?? null}, ${wanted.confidential},
      ${wanted.color}, ${wanted.startDateIsFixed}, ${wanted.startDateFixed ?? null}, ${wanted.dueDateIsFixed},
      ${wanted.dueDateFixed ?? null}, coalesce(${wanted.createdAt ?? null}, now()), now())
    returning ${epicColumns}`);
  const epic = toEpic(row!);
  if (wanted.parentId !== undefined) await placeEpic(tx, epic.id, wanted.parentId);
  if (wanted.labelIds.length > 0) await replaceLabels(tx, 'epic', epic.id, wanted.labelIds);
  const created = { kind: 'created', mentions: wanted.mentions, parentId: wanted.parentId } as const;
  await tell(tx, epic, [created], [wanted.authorId], wanted.authorId);
  markFaults(tx);
  return epic;
}

/** `EpicStore.change` within the caller's transaction. */
export async function changeEpic(
  tx: Tx,
  id: number,
  actorId: number,
  decide: (locked: LockedEpic) => EpicDecision,
  { trees = false }: { readonly trees?: boolean } = {},
): Promise<Epic> {
  // Before the row, as all who take both do.
  if (trees) await lockTrees(tx);
  const locked = await lock(tx, id);
  if (locked === undefined) throw notFound();
  const decision = decide(locked);
  if (decision === undefined) return locked.epic;
  const epic = await ('deletes' in decision
    ? saveDeletion(tx, locked, decision.facts, actorId)
    : saveChange(tx, locked, decision, actorId));
  markFaults(tx);
  return epic;
}
