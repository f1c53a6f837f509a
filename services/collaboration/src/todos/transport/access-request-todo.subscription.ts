import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, accessRequestEvents, faultPoint, subscription } from '@switchyard/events';
import type { AccessRequestTodos } from '../application/todo.ports';

const written = (tx: Tx): void => {
  faultPoint('todo.written');
  tx.afterCommit(() => faultPoint('todo.committed'));
};

/** An access request raises to-dos for the users who may approve it, and resolves them when it ends, each event once. */
export const accessRequestSubscription = (
  todos: AccessRequestTodos,
  directory: Pick<Directory, 'ensure'>,
): AnySubscription =>
  subscription({
    event: accessRequestEvents,
    before: afterDirectory(directory),
    async handle({ requestId, userId, groupId, projectId, occurredAt, fact }, tx, { time }) {
      if (fact === undefined) return;
      const place =
        groupId > 0 ? { type: 'Namespace' as const, id: groupId } : { type: 'Project' as const, id: projectId };
      const request = { requestId, userId, place };
      if (fact.$case === 'requested') await todos.raise(tx, request, occurredAt ?? time);
      else await todos.resolve(tx, request, occurredAt ?? time);
      written(tx);
    },
  });
