import type { Tx } from '@switchyard/database';
import { appendToOutbox, snippetEvents } from '@switchyard/events';
import type { SnippetEvent } from '@switchyard/protos/collaboration/events/v1/snippet_event';

/** What may happen to a snippet. */
export type SnippetFact = NonNullable<SnippetEvent['fact']>['$case'];

/** Appends the event of a change of a snippet in its transaction. The row must be locked. */
export function publishSnippet(
  tx: Tx,
  { id, projectId, title }: { readonly id: number; readonly projectId: number; readonly title: string },
  actorId: number,
  $case: SnippetFact,
): Promise<void> {
  const occurredAt = new Date();
  const fact = { $case, value: {} };
  return appendToOutbox(
    tx,
    snippetEvents,
    { snippetId: id, projectId, title, actorId, occurredAt, fact },
    { id: `snippet_${$case}:${id}${$case === 'renamed' ? `:${occurredAt.getTime()}` : ''}` },
  );
}
