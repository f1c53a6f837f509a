/** What the API sends, as far as the page shows it. Fields that an older server lacks are optional. */

/** A user. */
export interface User {
  readonly username: string;
  readonly name: string;
  readonly web_url: string;
}

/** A pipeline. */
export interface Pipeline {
  readonly id: number;
  readonly sha: string;
  readonly status: string;
  readonly web_url: string;
}

/** What an entry waits for. */
export interface WaitingFor {
  readonly reason: string;
  readonly statuses: readonly string[];
}

/** An entry of a merge train. */
export interface Entry {
  readonly id: number;
  readonly merge_request: { readonly iid: number; readonly title: string; readonly web_url: string };
  readonly user: User | null;
  readonly pipeline: Pipeline | null;
  readonly created_at: string;
  readonly target_branch: string;
  readonly status: string;
  readonly merged_at: string | null;
  readonly position?: number | null;
  readonly failing?: boolean;
  readonly batch?: {
    readonly id: number;
    readonly size: number;
    readonly merge_request_iids: readonly number[];
  } | null;
  readonly expected_at?: string | null;
  readonly waiting_for?: WaitingFor | null;
  readonly tested_sha?: string | null;
}

/** What a train is allowed to do. */
export interface Control {
  /** `running`, `paused`, `draining`, or one that a newer server adds. */
  readonly state: string;
  readonly reason: string | null;
  readonly until: string | null;
  readonly updated_at: string | null;
  readonly updated_by: User | null;
  readonly probe: Pipeline | null;
}

/** What shows that an entry itself failed. */
export interface Evidence {
  readonly tested_sha: string | null;
  readonly base_sha: string;
  readonly pipeline: { readonly id: number } | null;
  readonly statuses: readonly { readonly name: string; readonly target_url: string | null }[];
  readonly reruns: number;
}

/** What landed, or was removed. */
export interface Departure {
  readonly merge_request_iid: number;
  readonly title: string;
  readonly reason: string;
  readonly at: string;
  readonly sha: string | null;
  readonly evidence: Evidence | null;
}

/** A train as it stands. */
export interface TrainView {
  readonly target_branch: string;
  readonly control: Control;
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly departures: readonly Departure[];
}

/** A name and how often. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** One day of a train. */
export interface StatisticsDay {
  readonly date: string;
  readonly landings: number;
  readonly builds: number;
  readonly turnaround_p50: number | null;
  readonly turnaround_p95: number | null;
  readonly removals: number;
}

/** What a train did in a time. */
export interface Statistics {
  readonly after: string;
  readonly before: string;
  readonly landings: number;
  readonly turnaround: { readonly p50: number | null; readonly p95: number | null };
  readonly removals: readonly { readonly reason: string; readonly count: number }[];
  readonly builds_per_landing: number | null;
  readonly paused_share: number;
  readonly flakes: readonly NamedCount[];
  readonly failures: readonly NamedCount[];
  readonly days: readonly StatisticsDay[];
}

/** A project. */
export interface Project {
  readonly id: number;
  readonly path_with_namespace: string;
  readonly web_url: string;
  readonly default_branch: string | null;
}
