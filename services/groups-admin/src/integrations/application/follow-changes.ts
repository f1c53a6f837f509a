import { integrationKind } from '@switchyard/integration-kinds';
import type { Change, ChangeFollower } from '../../changes';
import type { Effective } from '../domain/integration';
import { decideDelivery, followsStatus } from '../domain/integration-delivery';
import { mailSenders, senderSettings } from '../domain/senders';
import { changeBody, refOf, type SentChange } from '../domain/senders/change-body';
import { pipelineEnd } from '../domain/senders/chat-message';
import type {
  IntegrationDelivery,
  IntegrationDeliveryStore,
  IntegrationMail,
  PipelineEnd,
  QueueDeliveries,
} from './delivery.ports';

const placeOf = ({ projectId, groupId }: Change): string =>
  projectId > 0 ? `project:${projectId}` : `group:${groupId}`;

/** Names the delivery of a change to an integration. */
const keyOf = (change: Change, integrationId: number): string => `${change.eventId}:integration:${integrationId}`;

const sentOf = (change: Change): SentChange => ({
  kind: change.kind,
  action: change.action,
  confidential: change.confidential,
  key: change.eventId,
  body: changeBody(change.body),
});

const refKey = ({ projectId, ref }: { projectId: number; ref: string }): string => `${projectId} ${ref}`;

/** A change with its active integrations. */
interface Followed {
  readonly change: Change;
  readonly sent: SentChange;
  readonly active: readonly Effective[];
}

/** The pipelines of a batch whose end some integration compares with the one before. */
const comparedEnds = (followed: readonly Followed[]): PipelineEnd[] =>
  followed.flatMap(({ change, sent, active }) => {
    const status = pipelineEnd(sent);
    return status !== undefined && active.some(({ source }) => followsStatus(source))
      ? [{ projectId: change.projectId, ref: refOf(sent), status }]
      : [];
  });

/**
 * Decides what integrations send of changes: rows for the queue and the ledger, and mails. A constant number of
 * statements, whatever the number of changes, projects and integrations.
 */
export const followChanges =
  ({ store, queue }: { readonly store: IntegrationDeliveryStore; readonly queue: QueueDeliveries }): ChangeFollower =>
  async (tx, changes) => {
    const ids = (of: (change: Change) => number) => [...new Set(changes.map(of).filter((id) => id > 0))];
    const places = {
      projects: ids(({ projectId }) => projectId),
      groups: ids(({ projectId, groupId }) => (projectId > 0 ? 0 : groupId)),
    };
    if (places.projects.length + places.groups.length === 0) return;
    const activeIn = await store.activeIn(tx, places);
    const followed = changes.flatMap((change): Followed[] => {
      const active = activeIn.get(placeOf(change)) ?? [];
      return active.length === 0 ? [] : [{ change, sent: sentOf(change), active }];
    });
    const ends = comparedEnds(followed);
    const before = new Map(
      (ends.length === 0 ? [] : await store.endsBefore(tx, ends)).map((end) => [refKey(end), end.status]),
    );

    const rows: IntegrationDelivery[] = [];
    const mails: IntegrationMail[] = [];
    for (const { change, sent, active } of followed) {
      const ref = refKey({ projectId: change.projectId, ref: refOf(sent) });
      for (const { source } of active) {
        const kind = integrationKind(source.slug);
        const decided = kind && decideDelivery(kind, source, sent, before.get(ref));
        if (decided === undefined) continue;
        const mail =
          decided.decision === 'queued'
            ? mailSenders[source.slug]?.(senderSettings(source.slug, source.values, {}), sent)
            : undefined;
        if (mail !== undefined) {
          mails.push({ ...mail, id: keyOf(change, source.id), integrationId: source.id, projectId: change.projectId });
        } else if (decided.decision === 'skipped' || mailSenders[source.slug] === undefined) {
          rows.push({
            targetKind: 'integration',
            targetId: source.id,
            changePosition: change.position,
            receiver: `integration:${source.id}`,
            objectKey: change.objectKey,
            idempotencyKey: keyOf(change, source.id),
            projectId: change.projectId,
            groupId: change.groupId,
            ...decided,
          });
        }
      }
      const end = pipelineEnd(sent);
      if (end !== undefined) before.set(ref, end);
    }
    if (ends.length > 0) await store.keepEnds(tx, ends);
    if (mails.length > 0) await store.sendMails(tx, mails);
    if (rows.length > 0) await queue(tx, changes, rows);
  };
