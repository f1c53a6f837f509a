import { textColor } from '../domain/label';
import type { LabelRow } from '../domain/label-row';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** A label as a group has it (G §10 Labels). Nobody can subscribe to labels. */
export const presentGroupLabel = (label: LabelRow) => ({
  id: label.id,
  name: label.title,
  description: label.description,
  description_html: escaped(label.description ?? ''),
  text_color: textColor(label.color),
  color: label.color,
  archived: label.archived,
  open_issues_count: label.counts.open_issues,
  closed_issues_count: label.counts.closed_issues,
  open_merge_requests_count: label.counts.open_merge_requests,
  subscribed: false,
});

/** A label as a project has it. */
export const presentProjectLabel = (label: LabelRow) => ({
  ...presentGroupLabel(label),
  priority: label.priority,
  is_project_label: label.project_id !== null,
});
