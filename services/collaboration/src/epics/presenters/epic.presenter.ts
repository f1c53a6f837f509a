import { labelDetails, userReference } from '@switchyard/directory';
import type { RenderMarkdown } from '@switchyard/markdown';
import { textColor } from '@switchyard/texts';
import { datesInForce } from '../domain/epic';
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

/** What is fixed and what is inherited, for those who may change them. */
function editorFields({ epic, editable }: EpicView) {
  if (!editable) return {};
  return {
    start_date_is_fixed: epic.startDateIsFixed,
    start_date_fixed: epic.startDateFixed ?? null,
    start_date_from_inherited_source: epic.inheritedStartDate ?? null,
    start_date_from_milestones: epic.inheritedStartDate ?? null,
    due_date_is_fixed: epic.dueDateIsFixed,
    due_date_fixed: epic.dueDateFixed ?? null,
    due_date_from_inherited_source: epic.inheritedDueDate ?? null,
    due_date_from_milestones: epic.inheritedDueDate ?? null,
  };
}

/** An epic as lists print it (api.md section 2, G-2-37). */
export function presentEpic(view: EpicView, { externalUrl, groupId, labelHtml }: EpicRendering) {
  const { epic, people, labels, parent } = view;
  const author = people.get(epic.authorId);
  const short = `&${epic.iid}`;
  const full = epicReference(view);
  const group = `${externalUrl}/api/v4/groups/${epic.groupId}`;
  const self = `${group}/epics/${epic.iid}`;
  const { start, due } = datesInForce(epic);
  const webUrl = epicUrl(view, externalUrl);
  return {
    id: epic.id,
    work_item_id: epic.id,
    iid: epic.iid,
    color: epic.color,
    text_color: textColor(epic.color),
    group_id: epic.groupId,
    parent_id: parent?.id ?? null,
    parent_iid: parent?.iid ?? null,
    imported: epic.importedFrom !== 'none',
    imported_from: epic.importedFrom,
    title: epic.title,
    description: epic.description ?? null,
    confidential: epic.confidential,
    author: author === undefined ? null : userReference(author, externalUrl),
    start_date: start ?? null,
    end_date: due ?? null,
    due_date: due ?? null,
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
    _links: {
      self,
      epic_issues: `${self}/issues`,
      group,
      parent: parent === undefined ? null : `${externalUrl}/api/v4/groups/${parent.groupId}/epics/${parent.iid}`,
    },
  };
}

/** An epic that was opened below another one, as G-4.18 prints it: it has nothing below it yet. */
export const presentLinkedEpic = (view: EpicView, externalUrl: string) => ({
  id: view.epic.id,
  iid: view.epic.iid,
  title: view.epic.title,
  group_id: view.epic.groupId,
  parent_id: view.parent?.id ?? null,
  has_children: false,
  has_issues: false,
  reference: epicReference(view),
  url: epicUrl(view, externalUrl),
  relation_url:
    view.parent === undefined
      ? null
      : `${externalUrl}/api/v4/groups/${view.parent.groupId}/epics/${view.parent.iid}/epics/${view.epic.id}`,
});
