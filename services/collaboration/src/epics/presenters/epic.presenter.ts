import { labelDetails, userReference } from '@switchyard/directory';
import type { RenderMarkdown } from '@switchyard/markdown';
import { textColor } from '@switchyard/texts';
import { type EpicView, epicReference } from '../domain/epic-view';

/** How an epic is rendered. */
export interface EpicRendering {
  readonly externalUrl: string;
  /** Group to which the relative reference relates; others give the full one. */
  readonly groupId: number;
  /** Shows labels in detail, with their descriptions as HTML; one renderer serves a whole reply. */
  readonly labelHtml?: RenderMarkdown | undefined;
}

/** Web address of an epic. */
export const epicUrl = ({ groupPath, epic }: Pick<EpicView, 'groupPath' | 'epic'>, externalUrl: string): string =>
  `${externalUrl.replace(/\/+$/, '')}/groups/${groupPath}/-/epics/${epic.iid}`;

/** The fixed dates, for those who may change them. */
function editorFields({ epic, editable }: EpicView) {
  if (!editable) return {};
  return {
    start_date_is_fixed: epic.startDateIsFixed,
    start_date_fixed: epic.startDateFixed ?? null,
    start_date_from_inherited_source: null,
    start_date_from_milestones: null,
    due_date_is_fixed: epic.dueDateIsFixed,
    due_date_fixed: epic.dueDateFixed ?? null,
    due_date_from_inherited_source: null,
    due_date_from_milestones: null,
  };
}

/** An epic as lists print it (api.md section 2, G-2-37). */
export function presentEpic(view: EpicView, { externalUrl, groupId, labelHtml }: EpicRendering) {
  const { epic, people, labels } = view;
  const author = people.get(epic.authorId);
  const short = `&${epic.iid}`;
  const full = epicReference(view);
  const group = `${externalUrl}/api/v4/groups/${epic.groupId}`;
  const self = `${group}/epics/${epic.iid}`;
  const startDate = epic.startDateIsFixed ? epic.startDateFixed : undefined;
  const dueDate = epic.dueDateIsFixed ? epic.dueDateFixed : undefined;
  const webUrl = epicUrl(view, externalUrl);
  return {
    id: epic.id,
    work_item_id: epic.id,
    iid: epic.iid,
    color: epic.color,
    text_color: textColor(epic.color),
    group_id: epic.groupId,
    parent_id: null,
    parent_iid: null,
    imported: epic.importedFrom !== 'none',
    imported_from: epic.importedFrom,
    title: epic.title,
    description: epic.description ?? null,
    confidential: epic.confidential,
    author: author === undefined ? null : userReference(author, externalUrl),
    start_date: startDate ?? null,
    end_date: dueDate ?? null,
    due_date: dueDate ?? null,
    ...editorFields(view),
    state: epic.state,
    web_edit_url: `${webUrl}/edit`,
    web_url: webUrl,
    reference: short,
    references: { short, relative: groupId === epic.groupId ? short : full, full },
    created_at: epic.createdAt.toISOString(),
    updated_at: epic.updatedAt.toISOString(),
    closed_at: epic.closedAt?.toISOString() ?? null,
    labels:
      labelHtml === undefined
        ? labels.map(({ title }) => title)
        : labels.map((label) => labelDetails(label, labelHtml)),
    user_notes_count: epic.userNotesCount,
    upvotes: epic.upvotes,
    downvotes: epic.downvotes,
    _links: { self, epic_issues: `${self}/issues`, group, parent: null },
  };
}
