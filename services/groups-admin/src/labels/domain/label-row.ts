import type { Viewer } from '../../directory';
import type { LabelCounts } from '../../issuable-counts';

/** A label as it is printed. */
export interface LabelRow {
  id: number;
  project_id: number | null;
  namespace_id: number | null;
  title: string;
  color: string;
  description: string | null;
  archived: boolean;
  /** As the viewer counts them. */
  counts: LabelCounts;
  /** Rank in the requested project; null in groups. */
  priority: number | null;
  /** Whether the viewer is subscribed to it. */
  subscribed: boolean;
}

/** How a label is named: by a text that is its id or title, or by `title` alone, even when that looks like an id. */
export type LabelKey = string | { readonly title: string };

/** Which labels a list holds. */
export interface LabelFilter {
  search?: string;
  /** Those of the groups above. */
  above: boolean;
  /** With a group: those of the groups below that the viewer may see. */
  below: boolean;
  /** With a group: those of the projects that the viewer may see as well. */
  ofProjects: boolean;
  viewer: Viewer;
}

/** A label to insert. */
export interface NewLabel {
  title: string;
  color: string;
  description: string | undefined;
  /** Rank in the project. */
  priority: number | undefined;
  /** Of a label that comes in with its history. */
  history?: LabelHistory | undefined;
}

/** What a label was elsewhere. */
export interface LabelHistory {
  readonly archived: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A change of a label; what is absent stays. */
export interface LabelChange {
  title?: string;
  color?: string;
  description?: string;
  /** Rank in the project; null removes it. */
  priority?: number | null;
}
