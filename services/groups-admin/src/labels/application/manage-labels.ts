import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Viewer } from '../../directory';
import type { Parent } from '../../parents';
import {
  decideCreate,
  decideMissing,
  decideUpdate,
  type ImportedLabel,
  type LabelContent,
  toImportedLabels,
  toLabelChange,
  toNewLabel,
} from '../domain/label-change';
import type { LabelChange, LabelFilter, LabelKey, LabelRow } from '../domain/label-row';
import type { LabelStore } from './label.ports';

/** Labels of projects and groups (G §10 Labels). */
export function manageLabels({ labels }: { labels: LabelStore }) {
  async function get(parent: Parent, key: LabelKey, above: boolean, viewer: Viewer): Promise<LabelRow> {
    const label = await labels.find(parent, key, above, viewer);
    if (label === undefined) throw notFound('Label');
    return label;
  }

  return {
    /** @throws AppError not_found */
    get,

    /** A page of labels by title. */
    list: (parent: Parent, filter: LabelFilter, request: PageRequest): Promise<{ rows: LabelRow[]; page: PageInfo }> =>
      labels.list(parent, filter, request),

    /** @throws AppError invalid; conflict for a taken title; not_found when the parent was purged */
    async create(parent: Parent, content: LabelContent, viewer: Viewer): Promise<LabelRow> {
      const priority = parent.kind === 'project' ? content.priority : undefined;
      const label = toNewLabel({ ...content, priority });
      const id = await labels.create(parent, label.title, (facts) => decideCreate(label, facts));
      return get(parent, String(id), false, viewer);
    },

    /** @throws AppError invalid; not_found; conflict for a taken title */
    async update(parent: Parent, key: LabelKey, given: LabelChange, viewer: Viewer): Promise<LabelRow> {
      const change = toLabelChange(given);
      const id = await labels.change({ parent, key, title: change.title }, (label, facts) =>
        decideUpdate(label, change, facts),
      );
      if (id === undefined) throw notFound('Label');
      return get(parent, String(id), false, viewer);
    },

    /** @throws AppError not_found; precondition_failed when the label changed after `unmodifiedSince` */
    async remove(parent: Parent, key: LabelKey, unmodifiedSince?: Date): Promise<void> {
      const id = await labels.change({ parent, key, unmodifiedSince }, () => ({ kind: 'deleted' }));
      if (id === undefined) throw notFound('Label');
    },

    /**
     * Subscribes the viewer to a label that the parent can use, or ends the subscription; undefined when nothing changed.
     * @throws AppError not_found
     */
    async subscribe(parent: Parent, key: LabelKey, subscribed: boolean, viewer: Viewer): Promise<LabelRow | undefined> {
      const label = await get(parent, key, true, viewer);
      const changed = await labels.subscribe(parent, label.id, viewer.userId, subscribed);
      return changed ? { ...label, subscribed } : undefined;
    },

    /** Adds labels of an import; returns how many can be labels. @throws AppError not_found when the project was purged */
    async import(projectId: number, given: readonly ImportedLabel[]): Promise<number> {
      const made = toImportedLabels(given);
      await labels.import({ kind: 'project', id: projectId }, made);
      return made.length;
    },

    /**
     * The labels of these titles that a project or group can use, in the order of the titles; with `create`, missing ones
     * are added to it.
     * @throws AppError invalid for titles that no label can have; not_found when the project or group was purged
     */
    ensure(
      parent: Parent,
      titles: readonly string[],
      create: boolean,
    ): Promise<{ labels: LabelRow[]; sequence: number }> {
      const normalized = [...new Set(titles.map(displayText).filter((title) => title !== ''))];
      return labels.ensure(parent, normalized, (known) => (create ? decideMissing(normalized, known) : []));
    },
  };
}

/** Use cases of labels. */
export type ManageLabels = ReturnType<typeof manageLabels>;
