import type { RenderMarkdown } from '@switchyard/markdown';
import { textColor } from '@switchyard/texts';
import type { LabelRow } from '../domain/label-row';

/**
 * A label as a group has it (G §10 Labels).
 * @param html renders a description of one line; one renderer serves a whole reply
 */
export const presentGroupLabel = (label: LabelRow, html: RenderMarkdown) => ({
  id: label.id,
  name: label.title,
  description: label.description,
  description_html: html(label.description ?? ''),
  text_color: textColor(label.color),
  color: label.color,
  archived: label.archived,
  open_issues_count: label.counts.open_issues,
  closed_issues_count: label.counts.closed_issues,
  open_merge_requests_count: label.counts.open_merge_requests,
  subscribed: label.subscribed,
});

/** A label as a project has it; `html` as for `presentGroupLabel`. */
export const presentProjectLabel = (label: LabelRow, html: RenderMarkdown) => ({
  ...presentGroupLabel(label, html),
  priority: label.priority,
  is_project_label: label.project_id !== null,
});
