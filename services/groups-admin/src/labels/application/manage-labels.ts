import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { conflict, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Viewer } from '../../directory';
import { labelChanges, recordDirectoryChange } from '../../directory';
import type { Parent } from '../../parents';
import { note, type Problems, refuse } from '../../rules';
import { defaultColor, labelProblems, parseColor } from '../domain/label';
import type { LabelFilter, LabelKey, LabelRow, LabelStore } from '../storage/label.store';

/** A change of a label; what is absent stays. */
export interface LabelChange {
  title?: string;
  color?: string;
  description?: string;
  /** Rank in the project; null takes it away. */
  priority?: number | null;
}

/** A project or group that was purged meanwhile takes no labels. */
const orGone =
  ({ kind }: Parent) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? notFound(kind === 'group' ? 'Group' : 'Project') : error;
  };

const exists = () => conflict('Label already exists');

/** What is wrong with titles that labels are to be made of, told once each. */
function titleProblems(titles: readonly string[]): Problems {
  const problems: Problems = {};
  note(problems, 'labels', [...new Set(titles.flatMap((title) => labelProblems({ title }).title ?? []))]);
  return problems;
}

/** Labels of projects and groups (G §10 Labels). */
export function manageLabels({ db, labels }: { db: Database; labels: LabelStore }) {
  async function get(parent: Parent, key: LabelKey, above: boolean, viewer: Viewer): Promise<LabelRow> {
    const label = await labels.find(db, parent, key, above, viewer);
    if (label === undefined) throw notFound('Label');
    return label;
  }

  /** A label of this very parent. */
  async function own(tx: Tx, parent: Parent, key: LabelKey): Promise<LabelRow> {
    const label = await labels.find(tx, parent, key, false);
    if (label === undefined) throw notFound('Label');
    return label;
  }

  return {
    get,

    list: (parent: Parent, filter: LabelFilter, request: PageRequest): Promise<{ rows: LabelRow[]; page: PageInfo }> =>
      labels.list(parent, filter, request),

    async create(
      parent: Parent,
      wanted: { title: string; color: string; description: string; priority: number | undefined },
      viewer: Viewer,
    ): Promise<LabelRow> {
      refuse(labelProblems(wanted));
      const title = displayText(wanted.title);
      const made = db.transaction(async (tx) => {
        if ((await labels.usable(tx, parent, [title])).length > 0) throw exists();
        const color = parseColor(wanted.color) ?? defaultColor;
        const [added] = await labels.insert(tx, parent, [
          { title, color, description: wanted.description || undefined },
        ]);
        if (added === undefined) throw exists();
        if (wanted.priority !== undefined && parent.kind === 'project')
          await labels.prioritize(tx, parent.id, added.id, wanted.priority);
        await recordDirectoryChange(tx, await labelChanges(tx, [added.id]));
        return added.id;
      });
      return get(parent, String(await made.catch(orGone(parent))), false, viewer);
    },

    async update(parent: Parent, key: LabelKey, change: LabelChange, viewer: Viewer): Promise<LabelRow> {
      refuse(labelProblems(change));
      const title = change.title === undefined ? undefined : displayText(change.title);
      const color = change.color === undefined ? undefined : parseColor(change.color);
      const id = await db
        .transaction(async (tx) => {
          const label = await own(tx, parent, key);
          if (title !== undefined && title !== label.title && (await labels.usable(tx, parent, [title])).length > 0)
            throw exists();
          await labels.change(tx, label.id, { title, color, description: change.description });
          if (change.priority !== undefined && parent.kind === 'project')
            await labels.prioritize(tx, parent.id, label.id, change.priority);
          await recordDirectoryChange(tx, await labelChanges(tx, [label.id]));
          return label.id;
        })
        .catch((error: unknown) => {
          throw isUniqueViolation(error) ? exists() : error;
        });
      return get(parent, String(id), false, viewer);
    },

    remove: (parent: Parent, key: LabelKey, unmodifiedSince?: Date): Promise<void> =>
      db.transaction(async (tx) => {
        const label = await own(tx, parent, key);
        await requireUnmodified(tx, 'labels', label.id, unmodifiedSince);
        const changes = await labelChanges(tx, [label.id], true);
        await labels.remove(tx, label.id);
        await recordDirectoryChange(tx, changes);
      }),

    /** The labels of these titles that a project can use, the missing ones made in it when wanted; in the order of the titles. */
    ensure: (
      projectId: number,
      titles: readonly string[],
      create: boolean,
    ): Promise<{ labels: LabelRow[]; sequence: number }> => {
      const wanted = [...new Set(titles.map(displayText).filter((title) => title !== ''))];
      const parent: Parent = { kind: 'project', id: projectId };
      const ensured = db.transaction(async (tx) => {
        let found = await labels.usable(tx, parent, wanted);
        const known = new Set(found.map(({ title }) => title));
        const missing = create ? wanted.filter((title) => !known.has(title)) : [];
        // Whoever asks has a list of labels, not a title.
        refuse(titleProblems(missing));
        const added = await labels.insert(
          tx,
          parent,
          missing.map((title) => ({ title, color: defaultColor, description: undefined })),
        );
        if (missing.length > 0) found = await labels.usable(tx, parent, wanted);
        const byTitle = new Map(found.map((label) => [label.title, label]));
        const sequence = await recordDirectoryChange(
          tx,
          await labelChanges(
            tx,
            added.map(({ id }) => id),
          ),
        );
        return { labels: wanted.flatMap((title) => byTitle.get(title) ?? []), sequence };
      });
      return ensured.catch(orGone(parent));
    },
  };
}

/** Use cases of labels. */
export type ManageLabels = ReturnType<typeof manageLabels>;
