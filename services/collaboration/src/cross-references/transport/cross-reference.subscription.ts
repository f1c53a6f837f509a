import type { SqlExecutor, Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import {
  type AnySubscription,
  epicEvents,
  faultPoint,
  faultPoints,
  issueEvents,
  mergeRequestEvents,
  noteEvents,
  subscription,
} from '@switchyard/events';
import type { MergeRequestIssueReferences } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { CrossReference } from '@switchyard/texts';
import type { followReferences, ReferringTexts } from '../application/follow-references';
import type { ReferenceSource } from '../domain/cross-reference';

faultPoints.push('cross_reference.written', 'cross_reference.committed');

/** What following needs. */
interface CrossReferenceEdges {
  readonly follow: ReturnType<typeof followReferences>;
  readonly addNumber: (tx: SqlExecutor, mergeRequest: { projectId: number; iid: number; id: number }) => Promise<void>;
  readonly removeNumber: (tx: SqlExecutor, mergeRequest: { projectId: number; iid: number }) => Promise<void>;
  readonly directory: Pick<Directory, 'ensure'>;
}

const referencesOf = ({ mentioned, mergeRequests, epics }: MergeRequestIssueReferences): CrossReference[] => [
  ...mentioned.map(({ path, iid }) => ({ kind: 'Issue', path, iid }) as const),
  ...mergeRequests.map(({ path, iid }) => ({ kind: 'MergeRequest', path, iid }) as const),
  ...epics.map(({ path, iid }) => ({ kind: 'Epic', path, iid }) as const),
];

const changesTexts = ({ changedFields }: { readonly changedFields: readonly string[] }): boolean =>
  changedFields.some((field) => field === 'title' || field === 'description');

/** Whether texts may be new, of what is no imported history. */
const mayRefer = ({
  fact,
  imported,
}: {
  readonly fact?: { readonly $case: string };
  readonly imported: boolean;
}): boolean => !imported && (fact?.$case === 'created' || fact?.$case === 'updated');

const sourceKinds = new Set(['Issue', 'MergeRequest', 'Commit', 'Epic']);

/** Objects that refer to each other get system notes, each pair once. Imported history gets none. */
export function crossReferenceSubscriptions({
  follow,
  addNumber,
  removeNumber,
  directory,
}: CrossReferenceEdges): AnySubscription[] {
  const followTexts = async (
    tx: Tx,
    source: ReferenceSource,
    texts: ReferringTexts,
    { actorId, occurredAt }: { actorId: number; occurredAt?: Date },
    time: Date,
  ): Promise<void> => {
    if (actorId > 0) await follow(tx, { source, texts, actorId, at: occurredAt ?? time });
    faultPoint('cross_reference.written');
    tx.afterCommit(() => faultPoint('cross_reference.committed'));
  };
  return [
    subscription({
      event: mergeRequestEvents,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        const { mergeRequest, fact, imported } = event;
        if (mergeRequest === undefined || fact === undefined) return;
        if (fact.$case === 'created') await addNumber(tx, mergeRequest);
        if (fact.$case === 'deleted') await removeNumber(tx, mergeRequest);
        if (imported || (fact.$case !== 'created' && fact.$case !== 'updated')) return;
        if (fact.value.issueReferences === undefined) return;
        const { id, iid, projectId } = mergeRequest;
        const texts = { kind: 'references', references: referencesOf(fact.value.issueReferences) } as const;
        await followTexts(tx, { kind: 'MergeRequest', id, iid, projectId, sha: '' }, texts, event, time);
      },
    }),
    subscription({
      event: issueEvents,
      concerns: mayRefer,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        const { issue, fact } = event;
        if (issue === undefined) return;
        // An issue that took the place of a moved one has its texts, whose references have their notes already.
        const written =
          (fact?.$case === 'created' && fact.value.movedFromId === 0) ||
          (fact?.$case === 'updated' && changesTexts(fact.value));
        if (!written) return;
        const { id, iid, projectId } = issue;
        await followTexts(
          tx,
          { kind: 'Issue', id, iid, projectId, sha: '' },
          { kind: 'issue', issueId: id },
          event,
          time,
        );
      },
    }),
    subscription({
      event: epicEvents,
      concerns: mayRefer,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        const { epic, fact } = event;
        if (epic === undefined) return;
        const written = fact?.$case === 'created' || (fact?.$case === 'updated' && changesTexts(fact.value));
        if (!written) return;
        const { id, iid, groupId } = epic;
        const source = { kind: 'Epic', id, iid, projectId: 0, groupId, sha: '' } as const;
        await followTexts(tx, source, { kind: 'epic', epicId: id }, event, time);
      },
    }),
    subscription({
      event: noteEvents,
      concerns: mayRefer,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        const { noteable, fact } = event;
        if (noteable === undefined || !sourceKinds.has(noteable.kind)) return;
        if (fact?.$case !== 'created' && fact?.$case !== 'updated') return;
        const { id, iid, projectId, groupId, sha } = noteable;
        const kind = noteable.kind as ReferenceSource['kind'];
        const noteId = fact.value.note?.id ?? 0;
        await followTexts(tx, { kind, id, iid, projectId, groupId, sha }, { kind: 'note', noteId }, event, time);
      },
    }),
  ];
}
