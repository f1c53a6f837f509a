import type { PageInfo, PageRequest } from '@switchyard/database';
import type { TodoFilter } from '../domain/todo';
import type { TodoList, TodoRow } from '../storage/todo.list';
import type { MergeRequestTarget, MergeRequestTargets, Reader } from './todo-targets';

/** A to-do and what it points at. */
export interface TodoWithTarget {
  readonly todo: TodoRow;
  readonly target: MergeRequestTarget;
}

/** One page of the reader's to-dos: one statement and one call to the owner of the targets, whatever the length. */
export const listTodos =
  ({ list, targets }: { list: TodoList; targets: MergeRequestTargets }) =>
  async (
    reader: Reader,
    filter: TodoFilter,
    request: PageRequest,
  ): Promise<{ todos: TodoWithTarget[]; page: PageInfo }> => {
    const { rows, page } = await list.page(reader.actor, filter, request);
    const found = await targets.byIds([...new Set(rows.map((todo) => todo.targetId))], reader, false);
    // A target that is gone, while its to-dos are about to go, is not shown.
    const todos = rows.flatMap((todo) => {
      const target = found.get(todo.targetId);
      return target === undefined ? [] : [{ todo, target }];
    });
    return { todos, page };
  };
