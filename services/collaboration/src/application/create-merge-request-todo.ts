import { notFound } from '@switchyard/errors';
import type { TodoList } from '../storage/todo.list';
import type { TodoStore } from '../storage/todo.store';
import type { TodoWithTarget } from './list-todos';
import type { MergeRequestTargets, Reader } from './todo-targets';

/** Makes a to-do on a merge request for the reader (G-4.9-3); undefined when one is pending already. */
export const createMergeRequestTodo =
  ({ list, todos, targets }: { list: TodoList; todos: TodoStore; targets: MergeRequestTargets }) =>
  async (reader: Reader, projectId: number, iid: number): Promise<TodoWithTarget | undefined> => {
    const target = await targets.find(projectId, iid, reader);
    const id = await todos.mark(reader.actor.userId, {
      type: 'MergeRequest',
      id: target.id,
      iid: target.iid,
      projectId: target.projectId,
    });
    if (id === undefined) return undefined;
    const todo = await list.find(reader.actor, id);
    if (todo === undefined) throw notFound();
    return { todo, target };
  };
