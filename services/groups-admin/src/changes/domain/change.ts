/** Something that happened and that leaves the house: one hook body with its place in the one order of all of them. */
export interface Change {
  /** Place, from 1, without gaps; it grows in the order of the commits. */
  readonly position: number;
  /** Kind of the hook: `push`, `issue`, `merge_request` … (see `HookBody` in the proto). */
  readonly kind: string;
  /** Only for hooks and readers that may have confidential ones. */
  readonly confidential: boolean;
  /** Project; 0 outside of projects. */
  readonly projectId: number;
  /** Group; 0 for a project and for the instance. */
  readonly groupId: number;
  /** Branch or tag; empty for none. */
  readonly ref: string;
  /** The object, `merge_request:17`. */
  readonly objectKey: string;
  /** User who caused it; 0 when no user did. */
  readonly actorId: number;
  /** What happened, as the kind names it. */
  readonly action: string;
  readonly occurredAt: Date;
  /** The hook body as JSON text; its part `change` says the position and the cursor of the feed. */
  readonly body: string;
  /** Id of the event, with `#<index>` from the second body of an event on; the idempotency key derives from it. */
  readonly eventId: string;
}

/**
 * Whether webhooks and integrations may get a change. Notes and reactions on epics are for readers of the feed alone:
 * the hooks of GitLab have none (G-6-3), and clients fail on what they do not know a note to be on.
 */
export const isForReceivers = ({ kind, projectId }: Pick<Change, 'kind' | 'projectId'>): boolean =>
  projectId > 0 || (kind !== 'note' && kind !== 'emoji');
