import type { Tx } from '@switchyard/database';
import type { Change } from '../../changes';
import type { Effective, IntegrationPlace, Secrets } from '../domain/integration';
import type { OutgoingMail } from '../domain/senders/outgoing';

/** A delivery to queue, or a line that says why there is none. */
export interface IntegrationDelivery {
  readonly targetKind: 'integration';
  readonly targetId: number;
  readonly changePosition: number;
  readonly receiver: string;
  readonly objectKey: string;
  readonly idempotencyKey: string;
  readonly projectId: number;
  readonly groupId: number;
  readonly decision: 'queued' | 'skipped';
  readonly rule: string;
}

/** Queues deliveries of changes in the transaction that gives the changes their places. */
export type QueueDeliveries = (
  tx: Tx,
  changes: readonly Change[],
  rows: readonly IntegrationDelivery[],
) => Promise<void>;

/** A mail that an integration has sent. */
export interface IntegrationMail extends OutgoingMail {
  /** The same for the same change and integration. */
  readonly id: string;
  readonly integrationId: number;
  readonly projectId: number;
}

/** A branch or tag of a project on which pipelines end. */
export interface PipelineRef {
  readonly projectId: number;
  readonly ref: string;
}

/** How a pipeline ended. */
export interface PipelineEnd extends PipelineRef {
  readonly status: string;
}

/** What deliveries of integrations read and write, in the transaction of the changes. */
export interface IntegrationDeliveryStore {
  /** The active integrations of projects and groups, by `project:<id>` and `group:<id>`: one statement. */
  activeIn(
    tx: Tx,
    places: { readonly projects: readonly number[]; readonly groups: readonly number[] },
  ): Promise<ReadonlyMap<string, readonly Effective[]>>;
  /** How the pipelines before ended: one statement. */
  endsBefore(tx: Tx, refs: readonly PipelineRef[]): Promise<readonly PipelineEnd[]>;
  /** Keeps how pipelines ended: one statement. */
  keepEnds(tx: Tx, ends: readonly PipelineEnd[]): Promise<void>;
  /** Has mails sent: one statement. */
  sendMails(tx: Tx, mails: readonly IntegrationMail[]): Promise<void>;
  /** What counts in a place of the kind that an integration has, with its secrets; undefined secrets cannot be read. */
  toSend(
    place: IntegrationPlace,
    integrationId: number,
  ): Promise<{ readonly effective: Effective; readonly secrets: Secrets | undefined } | undefined>;
}
