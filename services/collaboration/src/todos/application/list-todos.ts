import type { PageInfo, PageRequest } from '@switchyard/database';
import { type ShownTarget, shownTargets, type TargetOwners, type TargetReader } from '../../targets';
import type { TodoFilter } from '../domain/todo';
import type { TodoRow } from '../domain/todo-row';
import type { TodoList } from './todo.ports';

/** A to-do and what it points at. */
export interface TodoWithTarget {
  readonly todo: TodoRow;
  readonly target: ShownTarget;
}

/**
 * One page of the reader's to-dos: one statement and one call to each owner of targets among them, whatever the length.
 */
export const listTodos =
  ({ list, targets }: { list: TodoList; targets: TargetOwners }) =>
  async (
    reader: TargetReader,
    filter: TodoFilter,
    request: PageRequest,
  ): Promise<{ todos: TodoWithTarget[]; page: PageInfo }> => {
    const { rows, page } = await list.page(reader.actor, filter, request);
    const targetOf = await shownTargets(targets, rows, reader, false);
    // A target that is gone, while its to-dos are about to go, is not shown.
    const todos = rows.flatMap((todo) => {
      const target = targetOf(todo);
      return target === undefined ? [] : [{ todo, target }];
    });
    return { todos, page };
  };
