import type { HookProjectRow, UserRow } from '@switchyard/directory';

/** When a row was made and last changed. */
interface Dated {
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A user as bodies name them. */
export type HookUserFacts = UserRow & Dated;

/** A project as bodies name it. */
export type HookProjectFacts = HookProjectRow &
  Dated & {
    readonly namespace_id: number;
    /** User who owns the namespace, or who made the project in a group. */
    readonly owner_id: number | null;
  };

/** A group as bodies name it. */
export interface HookGroupFacts extends Dated {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
}

/** A membership as bodies name it. */
export interface HookMembershipFacts extends Dated {
  readonly id: number;
  readonly expires_at: Date | null;
}

/** A milestone as bodies name it. Dates are `YYYY-MM-DD`. */
export interface HookMilestoneFacts extends Dated {
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  readonly description: string;
  readonly state: 'active' | 'closed';
  readonly due_date: string | null;
  readonly start_date: string | null;
  readonly group_id: number | null;
  readonly project_id: number | null;
}

/** What the database knows now of those that events name; what is gone is missing. */
export interface HookFacts {
  readonly users: ReadonlyMap<number, HookUserFacts>;
  readonly projects: ReadonlyMap<number, HookProjectFacts>;
  readonly groups: ReadonlyMap<number, HookGroupFacts>;
  readonly memberships: ReadonlyMap<number, HookMembershipFacts>;
  readonly milestones: ReadonlyMap<number, HookMilestoneFacts>;
}

/** Ids of those that an event names. */
export interface NamedIds {
  readonly users?: readonly number[];
  readonly projects?: readonly number[];
  readonly groups?: readonly number[];
  readonly memberships?: readonly number[];
  readonly milestones?: readonly number[];
}
