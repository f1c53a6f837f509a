import { type Sql, sql } from '@switchyard/database/sql';
import { type ProjectRow, projectUrl } from './projects';

/** A label as it hangs on an issue or a merge request. */
export interface AttachedLabel {
  readonly id: number;
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
}

/** The milestone of an issue or a merge request. Dates are `YYYY-MM-DD`. */
export interface AttachedMilestone {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly group_path: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly due_date: string | null;
  readonly start_date: string | null;
}

/** A JSON array of `AttachedLabel` for the ids of an array expression, by title; deleted labels are left out. */
export const labelsJson = (ids: Sql): Sql => sql`(
  select coalesce(json_agg(json_build_object('id', l.id, 'title', l.title, 'color', l.color, 'description', l.description)
    order by lower(l.title), l.id), '[]'::json)
  from directory.labels l where l.id = any(${ids}) and l.deleted_at is null)`;

/** `AttachedMilestone` as JSON for an id expression; null when there is none, or it was deleted. */
export const milestoneJson = (id: Sql): Sql => sql`(
  select json_build_object('id', ms.id, 'iid', ms.iid, 'project_id', ms.project_id, 'group_id', ms.namespace_id,
    'group_path', (select g.full_path from directory.namespaces g where g.id = ms.namespace_id), 'title', ms.title,
    'description', ms.description, 'state', ms.state, 'created_at', ms.created_at, 'updated_at', ms.updated_at,
    'due_date', ms.due_date, 'start_date', ms.start_date)
  from directory.milestones ms where ms.id = ${id} and ms.deleted_at is null)`;

/** Black or white, whichever is read more easily on a label's colour. */
function textColour(colour: string): string {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  if (hex === undefined) return '#FFFFFF';
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#1F1E24' : '#FFFFFF';
}

/**
 * The public label in detail (`with_labels_details`, G-2-11).
 * @param html renders a description of one line; one renderer serves a whole reply
 */
export const labelDetails = (label: AttachedLabel, html: (text: string) => string) => ({
  id: label.id,
  name: label.title,
  description: label.description,
  description_html: html(label.description ?? ''),
  text_color: textColour(label.color),
  color: label.color,
  archived: false,
});

/**
 * The public milestone inside other objects (G-2-10).
 * @param project the project of what carries it, where the milestone is of a project
 * @param now decides whether it is `expired`
 */
export function milestoneReference(milestone: AttachedMilestone, project: ProjectRow, externalUrl: string, now: Date) {
  const home =
    milestone.group_id === null
      ? projectUrl(project, externalUrl)
      : `${externalUrl.replace(/\/+$/, '')}/groups/${milestone.group_path}`;
  return {
    id: milestone.id,
    iid: milestone.iid,
    ...(milestone.group_id === null ? { project_id: milestone.project_id } : { group_id: milestone.group_id }),
    title: milestone.title,
    description: milestone.description ?? '',
    state: milestone.state,
    created_at: new Date(milestone.created_at).toISOString(),
    updated_at: new Date(milestone.updated_at).toISOString(),
    due_date: milestone.due_date,
    start_date: milestone.start_date,
    expired: milestone.due_date !== null && milestone.due_date < now.toISOString().slice(0, 10),
    web_url: `${home}/-/milestones/${milestone.iid}`,
  };
}
