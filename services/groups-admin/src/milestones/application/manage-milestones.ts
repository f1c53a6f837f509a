import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Parent } from '../../parents';
import { type ImportedMilestone, type MilestoneContent, milestoneProblems } from '../domain/milestone';
import { decideCreate, decideUpdate, type MilestoneChange } from '../domain/milestone-change';
import type { MilestoneFilter, MilestoneRow } from '../domain/milestone-row';
import type { MilestoneStore } from './milestone.ports';

/** Milestones of projects and groups (G §10 Milestones). */
export function manageMilestones({ milestones }: { milestones: MilestoneStore }) {
  async function get(parent: Parent, id: number): Promise<MilestoneRow> {
    const milestone = await milestones.find(parent, id);
    if (milestone === undefined) throw notFound();
    return milestone;
  }

  return {
    /** @throws AppError not_found */
    get,

    /** A page of milestones, by their due date. */
    list: (
      parent: Parent,
      filter: MilestoneFilter,
      request: PageRequest,
    ): Promise<{ rows: MilestoneRow[]; page: PageInfo }> => milestones.list(parent, filter, request),

    /** @throws AppError invalid; not_found when the parent was purged */
    async create(parent: Parent, content: MilestoneContent, actorId: number): Promise<MilestoneRow> {
      const id = await milestones.create({ parent, title: displayText(content.title), actorId }, (facts) =>
        decideCreate(content, facts),
      );
      return get(parent, id);
    },

    /** Keeps the numbers of milestones that come in later: what is made in the project meanwhile gets higher ones. */
    async reserve(projectId: number, given: readonly Pick<ImportedMilestone, 'iid' | 'group'>[]): Promise<void> {
      const highest = Math.max(0, ...given.map(({ iid, group }) => (group ? 0 : iid)));
      if (highest > 0) await milestones.reserve(projectId, highest);
    },

    /** Adds milestones of an import; returns how many can be milestones. @throws AppError not_found */
    async import(projectId: number, given: readonly ImportedMilestone[]): Promise<number> {
      const made = given.filter((one) => one.iid > 0 && Object.keys(milestoneProblems(one)).length === 0);
      await milestones.import(
        projectId,
        made.map((one) => ({ ...one, title: displayText(one.title) })),
      );
      return made.length;
    },

    /** @throws AppError not_found; invalid */
    async update(parent: Parent, id: number, change: MilestoneChange, actorId: number): Promise<MilestoneRow> {
      const title = change.title === undefined ? undefined : displayText(change.title);
      const found = await milestones.change({ parent, id, actorId, title }, (milestone, facts) =>
        decideUpdate(milestone, change, facts),
      );
      if (!found) throw notFound();
      return get(parent, id);
    },

    /** @throws AppError not_found; precondition_failed when the milestone changed after `unmodifiedSince` */
    async remove(parent: Parent, id: number, actorId: number, unmodifiedSince?: Date): Promise<void> {
      const found = await milestones.change({ parent, id, actorId, unmodifiedSince }, () => ({ kind: 'deleted' }));
      if (!found) throw notFound();
    },
  };
}

/** Use cases of milestones. */
export type ManageMilestones = ReturnType<typeof manageMilestones>;
