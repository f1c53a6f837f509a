import type { Tx } from '@switchyard/database';
import { appendToOutbox, importPlaceholderEvents } from '@switchyard/events';
import type { Placeholder, PlaceholderChange } from '../domain/placeholder';

/** Appends that a user is asked to take the place of a placeholder, where a change asks one. */
export async function recordAsked(
  tx: Tx,
  { id, projectId, login }: Pick<Placeholder, 'id' | 'projectId' | 'login'>,
  { state, targetId }: PlaceholderChange,
): Promise<void> {
  if (state !== 'awaiting_approval' || targetId === null) return;
  await appendToOutbox(
    tx,
    importPlaceholderEvents,
    { placeholderId: id, projectId, userId: targetId, login, occurredAt: new Date() },
    { id: `import_placeholder.asked:${id}:${targetId}` },
  );
}
