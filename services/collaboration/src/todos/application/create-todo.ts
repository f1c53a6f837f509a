import { notFound } from '@switchyard/errors';
import type { NumberedTargetType, TargetOwners, TargetReader } from '../../targets';
import type { TodoWithTarget } from './list-todos';
import type { TodoList, TodoStore } from './todo.ports';

/** Makes a to-do on a target for the reader (G-4.9-3); undefined when one is pending already. */
export const createTodo =
  ({ list, todos, targets }: { list: TodoList; todos: TodoStore; targets: TargetOwners }) =>
  async (
    reader: TargetReader,
    type: NumberedTargetType,
    placeId: number,
    iid: number,
  ): Promise<TodoWithTarget | undefined> => {
    const target = await targets[type].find(placeId, iid, reader);
    const id = await todos.mark(reader.actor.userId, {
      type,
      id: target.id,
      iid: target.iid,
      projectId: target.projectId,
      ...(target.groupId === undefined ? {} : { groupId: target.groupId }),
    });
    if (id === undefined) return undefined;
    const todo = await list.find(reader.actor, id);
    if (todo === undefined) throw notFound();
    return { todo, target };
  };
