import {
  isForeignKeyViolation,
  isUniqueViolation,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { DirectoryTx, Transact } from '../../directory';
import type { Parent } from '../../parents';
import { note, refuse } from '../../rules';
import { type MilestoneContent, milestoneProblems } from '../domain/milestone';
import type { MilestoneFilter, MilestoneRow } from '../domain/milestone-row';
import { type MilestoneFact, noteMilestone } from './milestone-events';

/** A change of a milestone; what is absent stays, an empty date is taken away. */
export interface MilestoneChange {
  title?: string;
  description?: string;
  dueDate?: string;
  startDate?: string;
  stateEvent?: 'close' | 'activate';
}

/** Milestones in the database. */
export interface MilestoneStore {
  /** A page of milestones, by their due date. */
  list(
    parent: Parent,
    filter: MilestoneFilter,
    request: PageRequest,
  ): Promise<{ rows: MilestoneRow[]; page: PageInfo }>;
  /** One milestone of this very parent; in `tx` when given. */
  find(parent: Parent, id: number, tx?: Tx): Promise<MilestoneRow | undefined>;
  /** Whether another milestone that the parent can use has this title. */
  titleTaken(tx: Tx, parent: Parent, title: string, exceptId?: number): Promise<boolean>;
  /** Inserts a milestone with the next number of its parent; returns its id. */
  insert(tx: DirectoryTx, parent: Parent, content: MilestoneContent): Promise<number>;
  /** Changes everything that is given with a milestone. */
  change(tx: DirectoryTx, id: number, content: MilestoneContent & { state: string }): Promise<void>;
  /** Deletes a milestone. */
  remove(tx: DirectoryTx, id: number): Promise<void>;
}

const titleTaken = 'already being used for another group or project milestone.';

const dateAfter = (change: string | undefined, present: string | null): string | undefined =>
  change === undefined ? (present ?? undefined) : change || undefined;

/** Milestones of projects and groups (G §10 Milestones). */
export function manageMilestones({ transaction, milestones }: { transaction: Transact; milestones: MilestoneStore }) {
  async function get(parent: Parent, id: number): Promise<MilestoneRow> {
    const milestone = await milestones.find(parent, id);
    if (milestone === undefined) throw notFound();
    return milestone;
  }

  const orTaken = (error: unknown): never => {
    if (isUniqueViolation(error)) throw invalid({ title: [titleTaken] });
    // The project or group was purged meanwhile.
    throw isForeignKeyViolation(error) ? notFound() : error;
  };

  return {
    get,

    list: (
      parent: Parent,
      filter: MilestoneFilter,
      request: PageRequest,
    ): Promise<{ rows: MilestoneRow[]; page: PageInfo }> => milestones.list(parent, filter, request),

    async create(parent: Parent, wanted: MilestoneContent, actorId: number): Promise<MilestoneRow> {
      const problems = milestoneProblems(wanted);
      const content = { ...wanted, title: displayText(wanted.title) };
      const id = await transaction(async (tx) => {
        if (await milestones.titleTaken(tx, parent, content.title)) note(problems, 'title', [titleTaken]);
        refuse(problems);
        const created = await milestones.insert(tx, parent, content);
        const made = await milestones.find(parent, created, tx);
        if (made !== undefined) await noteMilestone(tx, made, actorId, ['created']);
        return created;
      }).catch(orTaken);
      return get(parent, id);
    },

    async update(parent: Parent, id: number, change: MilestoneChange, actorId: number): Promise<MilestoneRow> {
      await transaction(async (tx) => {
        const present = await milestones.find(parent, id, tx);
        if (present === undefined) throw notFound();
        const content: MilestoneContent = {
          title: change.title === undefined ? present.title : displayText(change.title),
          description: change.description ?? present.description,
          dueDate: dateAfter(change.dueDate, present.due_date),
          startDate: dateAfter(change.startDate, present.start_date),
        };
        const problems = milestoneProblems(content);
        if (content.title !== present.title && (await milestones.titleTaken(tx, parent, content.title, id)))
          note(problems, 'title', [titleTaken]);
        refuse(problems);
        const states = { close: 'closed', activate: 'active' } as const;
        const state = change.stateEvent === undefined ? present.state : states[change.stateEvent];
        await milestones.change(tx, id, { ...content, state });
        const facts: MilestoneFact[] = [
          ...(content.title === present.title ? [] : (['renamed'] as const)),
          ...(state === present.state ? [] : ([state === 'closed' ? 'closed' : 'activated'] as const)),
        ];
        await noteMilestone(tx, { ...present, title: content.title }, actorId, facts);
      }).catch(orTaken);
      return get(parent, id);
    },

    remove: (parent: Parent, id: number, actorId: number, unmodifiedSince?: Date): Promise<void> =>
      transaction(async (tx) => {
        const present = await milestones.find(parent, id, tx);
        if (present === undefined) throw notFound();
        await requireUnmodified(tx, 'milestones', id, unmodifiedSince);
        await milestones.remove(tx, id);
        await noteMilestone(tx, present, actorId, ['deleted']);
      }),
  };
}

/** Use cases of milestones. */
export type ManageMilestones = ReturnType<typeof manageMilestones>;
