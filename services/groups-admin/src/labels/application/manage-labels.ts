import {
  isForeignKeyViolation,
  isUniqueViolation,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { conflict, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { DirectoryTx, Transact, Viewer } from '../../directory';
import type { Parent } from '../../parents';
import { note, type Problems, refuse } from '../../rules';
import { defaultColor, labelProblems, parseColor } from '../domain/label';
import type { LabelChange, LabelFilter, LabelKey, LabelRow, NewLabel } from '../domain/label-row';

/** Labels in the database. */
export interface LabelStore {
  /** A page of labels by title. */
  list(parent: Parent, filter: LabelFilter, request: PageRequest): Promise<{ rows: LabelRow[]; page: PageInfo }>;
  /** One label by id or title, with `above` also of the groups above; the id wins, then the parent's own. In `tx` when given. */
  find(parent: Parent, key: LabelKey, above: boolean, viewer?: Viewer, tx?: Tx): Promise<LabelRow | undefined>;
  /** Labels that a project or group can use with these titles, the nearest of each. */
  usable(tx: Tx, parent: Parent, titles: readonly string[]): Promise<LabelRow[]>;
  /** Inserts labels; those whose title the parent has already are left out. */
  insert(tx: DirectoryTx, parent: Parent, labels: readonly NewLabel[]): Promise<{ id: number }[]>;
  /** Changes what is given; a unique violation when the title is taken. */
  change(tx: DirectoryTx, id: number, change: Omit<LabelChange, 'priority'>): Promise<void>;
  /** Sets the rank of a label in a project; null takes it away. */
  prioritize(tx: DirectoryTx, projectId: number, labelId: number, priority: number | null): Promise<void>;
  /** Deletes a label with its ranks and counts. */
  remove(tx: DirectoryTx, id: number): Promise<void>;
}

/** A project or group that was purged meanwhile takes no labels. */
const orGone =
  ({ kind }: Parent) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? notFound(kind === 'group' ? 'Group' : 'Project') : error;
  };

const exists = () => conflict('Label already exists');

/** What is wrong with titles of new labels, each text once. */
function titleProblems(titles: readonly string[]): Problems {
  const problems: Problems = {};
  note(problems, 'labels', [...new Set(titles.flatMap((title) => labelProblems({ title }).title ?? []))]);
  return problems;
}

/** Labels of projects and groups (G §10 Labels). */
export function manageLabels({ transaction, labels }: { transaction: Transact; labels: LabelStore }) {
  async function get(parent: Parent, key: LabelKey, above: boolean, viewer: Viewer): Promise<LabelRow> {
    const label = await labels.find(parent, key, above, viewer);
    if (label === undefined) throw notFound('Label');
    return label;
  }

  /** A label of this very parent. */
  async function own(tx: Tx, parent: Parent, key: LabelKey): Promise<LabelRow> {
    const label = await labels.find(parent, key, false, undefined, tx);
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
      const made = transaction(async (tx) => {
        if ((await labels.usable(tx, parent, [title])).length > 0) throw exists();
        const color = parseColor(wanted.color) ?? defaultColor;
        const [added] = await labels.insert(tx, parent, [
          { title, color, description: wanted.description || undefined },
        ]);
        if (added === undefined) throw exists();
        if (wanted.priority !== undefined && parent.kind === 'project')
          await labels.prioritize(tx, parent.id, added.id, wanted.priority);
        return added.id;
      });
      return get(parent, String(await made.catch(orGone(parent))), false, viewer);
    },

    async update(parent: Parent, key: LabelKey, change: LabelChange, viewer: Viewer): Promise<LabelRow> {
      refuse(labelProblems(change));
      const title = change.title === undefined ? undefined : displayText(change.title);
      const color = change.color === undefined ? undefined : parseColor(change.color);
      const id = await transaction(async (tx) => {
        const label = await own(tx, parent, key);
        if (title !== undefined && title !== label.title && (await labels.usable(tx, parent, [title])).length > 0)
          throw exists();
        await labels.change(tx, label.id, { title, color, description: change.description });
        if (change.priority !== undefined && parent.kind === 'project')
          await labels.prioritize(tx, parent.id, label.id, change.priority);
        return label.id;
      }).catch((error: unknown) => {
        throw isUniqueViolation(error) ? exists() : error;
      });
      return get(parent, String(id), false, viewer);
    },

    remove: (parent: Parent, key: LabelKey, unmodifiedSince?: Date): Promise<void> =>
      transaction(async (tx) => {
        const label = await own(tx, parent, key);
        await requireUnmodified(tx, 'labels', label.id, unmodifiedSince);
        await labels.remove(tx, label.id);
      }),

    /** The labels of these titles that a project can use, the missing ones made in it when wanted; in the order of the titles. */
    async ensure(
      projectId: number,
      titles: readonly string[],
      create: boolean,
    ): Promise<{ labels: LabelRow[]; sequence: number }> {
      const wanted = [...new Set(titles.map(displayText).filter((title) => title !== ''))];
      const parent: Parent = { kind: 'project', id: projectId };
      let sequence = 0;
      const ensured = await transaction(async (tx) => {
        let found = await labels.usable(tx, parent, wanted);
        const known = new Set(found.map(({ title }) => title));
        const missing = create ? wanted.filter((title) => !known.has(title)) : [];
        // The caller sent a list of labels, so problems are named under `labels`.
        refuse(titleProblems(missing));
        await labels.insert(
          tx,
          parent,
          missing.map((title) => ({ title, color: defaultColor, description: undefined })),
        );
        if (missing.length > 0) found = await labels.usable(tx, parent, wanted);
        const byTitle = new Map(found.map((label) => [label.title, label]));
        tx.withSequence(async (reached) => {
          sequence = reached;
        });
        return wanted.flatMap((title) => byTitle.get(title) ?? []);
      }).catch(orGone(parent));
      return { labels: ensured, sequence };
    },
  };
}

/** Use cases of labels. */
export type ManageLabels = ReturnType<typeof manageLabels>;
