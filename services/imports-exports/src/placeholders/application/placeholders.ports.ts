import type { PageInfo, PageRequest } from '@switchyard/database';
import type {
  Candidate,
  ForeignPerson,
  ImportMembers,
  Placeholder,
  PlaceholderChange,
  PlaceholderLease,
  PlaceholderOwner,
  PromisedRole,
} from '../domain/placeholder';

/** Placeholders in the database. */
export interface PlaceholderStore {
  /** Those of a project in a state; undefined for every one. */
  list(
    projectId: number,
    state: string | undefined,
    request: PageRequest,
  ): Promise<{ rows: Placeholder[]; page: PageInfo }>;
  /** Who stands for people in an import, by their ids: the placeholder, or who took its place; without those for whom nobody does yet. */
  standIns(owner: PlaceholderOwner, foreignIds: readonly string[]): Promise<Map<string, number>>;
  /** Whether an import has this many placeholders. */
  hasMany(owner: PlaceholderOwner, many: number): Promise<boolean>;
  /** Records a placeholder user, and how it stands; it may be repeated. */
  add(owner: PlaceholderOwner, person: ForeignPerson, userId: number, first: PlaceholderChange): Promise<void>;
  /** Records which roles the users have who take the places of placeholders that nobody has taken; it may be repeated. */
  promiseRoles(importId: number, roles: readonly PromisedRole[]): Promise<void>;
  /** Changes one under its lock, while no import of the project begins. Fails with `not_found`, and as `decide` does. */
  change(projectId: number, id: number, decide: (one: Placeholder) => PlaceholderChange): Promise<Placeholder>;
  /** What is known of a user; undefined for one who is gone. */
  candidate(userId: number): Promise<Candidate | undefined>;
  /** Takes one whose place is to be taken, or whose lease has run out; undefined without any. */
  claim(): Promise<PlaceholderLease | undefined>;
  /** Extends a lease by 30 seconds; false when another process has it. */
  extend(one: PlaceholderLease): Promise<boolean>;
  /** Gives one back, to be taken again after some seconds. */
  release(one: PlaceholderLease, seconds: number): Promise<void>;
  /** Records that nothing of it is left. */
  settle(one: PlaceholderLease): Promise<void>;
}

/** Where a user takes the place of another one: the services that keep what users write. */
export interface AuthorPlaces {
  /** Rewrites a bounded part in every service; false when nothing is left. */
  reassign(change: { projectId: number; fromUserId: number; toUserId: number }): Promise<boolean>;
  /** Makes the placeholder user of a person in a project, once. */
  create(
    projectId: number,
    person: ForeignPerson,
    requestId: string,
  ): Promise<{ userId: number; directorySequence: number }>;
  importMembers: ImportMembers;
  /** Removes a placeholder user. */
  remove(projectId: number, userId: number): Promise<void>;
}
