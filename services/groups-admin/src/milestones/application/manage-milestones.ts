import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
} from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import { milestoneChanges, recordDirectoryChange } from '../../directory';
import type { Parent } from '../../parents';
import { note, refuse } from '../../rules';
import { type MilestoneContent, milestoneProblems } from '../domain/milestone';
import type { MilestoneFilter, MilestoneRow, MilestoneStore } from '../storage/milestone.store';
import { type MilestoneFact, noteMilestone } from './milestone-events';

/** A change of a milestone; what is absent stays, an empty date is taken away. */
export interface MilestoneChange {
  title?: string;
  description?: string;
  dueDate?: string;
  startDate?: string;
  stateEvent?: 'close' | 'activate';
}

const titleTaken = 'already being used for another group or project milestone.';

const dateAfter = (change: string | undefined, present: string | null): string | undefined =>
  change === undefined ? (present ?? undefined) : change || undefined;

/** Milestones of projects and groups (G §10 Milestones). */
export function manageMilestones({ db, milestones }: { db: Database; milestones: MilestoneStore }) {
  async function get(parent: Parent, id: number): Promise<MilestoneRow> {
    const milestone = await milestones.find(db, parent, id);
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
      const id = await db
        .transaction(async (tx) => {
          if (await milestones.titleTaken(tx, parent, content.title)) note(problems, 'title', [titleTaken]);
          refuse(problems);
          const created = await milestones.insert(tx, parent, content);
          const made = await milestones.find(tx, parent, created);
          if (made !== undefined) await noteMilestone(tx, made, actorId, ['created']);
          await recordDirectoryChange(tx, await milestoneChanges(tx, [created]));
          return created;
        })
        .catch(orTaken);
      return get(parent, id);
    },

    async update(parent: Parent, id: number, change: MilestoneChange, actorId: number): Promise<MilestoneRow> {
      await db
        .transaction(async (tx) => {
          const present = await milestones.find(tx, parent, id);
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
          await recordDirectoryChange(tx, await milestoneChanges(tx, [id]));
        })
        .catch(orTaken);
      return get(parent, id);
    },

    remove: (parent: Parent, id: number, actorId: number, unmodifiedSince?: Date): Promise<void> =>
      db.transaction(async (tx) => {
        const present = await milestones.find(tx, parent, id);
        if (present === undefined) throw notFound();
        await requireUnmodified(tx, 'milestones', id, unmodifiedSince);
        const changes = await milestoneChanges(tx, [id], true);
        await milestones.remove(tx, id);
        await noteMilestone(tx, present, actorId, ['deleted']);
        await recordDirectoryChange(tx, changes);
      }),
  };
}

/** Use cases of milestones. */
export type ManageMilestones = ReturnType<typeof manageMilestones>;
