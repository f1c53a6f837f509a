import { type TodoFilter as TodoFilterMessage, TodoServiceService } from '@switchyard/protos/collaboration/v1/todo';
import {
  type CallContext,
  fixedOrder,
  implement,
  json,
  nothing,
  pageOfRenderedRows,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import type { NumberedTargetType } from '../../targets';
import type { createTodo } from '../application/create-todo';
import type { listTodos } from '../application/list-todos';
import type { markTodoAsDone } from '../application/mark-todo-as-done';
import type { TodoFilter } from '../domain/todo';
import { todoJson, todoRows } from '../presenters/todo.presenter';

/** Use cases behind the service. */
export interface TodoUseCases {
  readonly listTodos: ReturnType<typeof listTodos>;
  readonly markTodoAsDone: ReturnType<typeof markTodoAsDone>;
  readonly markAllTodosAsDone: (userId: number, filter: TodoFilter) => Promise<void>;
  readonly createTodo: ReturnType<typeof createTodo>;
}

const filterOf = (filter: TodoFilterMessage | undefined): TodoFilter => ({
  action: filter?.action || undefined,
  authorId: filter?.authorId,
  projectId: filter?.projectId,
  groupId: filter?.groupId,
  state: filter?.state === 'done' ? 'done' : 'pending',
  targetType: filter?.targetType || undefined,
});

/** Serves `TodoService`. */
export function todoHandler(todos: TodoUseCases, externalUrl: string): ServiceImplementation {
  const made = async (context: CallContext, type: NumberedTargetType, placeId: number, iid: number) => {
    const todo = await todos.createTodo(signedIn(context), type, placeId, iid);
    return todo === undefined ? nothing(304) : json(todoJson(todo, externalUrl));
  };

  return implement(TodoServiceService, {
    listTodos: async (request, context) => {
      // The order is fixed (G-4.9-2).
      const wanted = fixedOrder(request.page, 'id', 'desc');
      const found = await todos.listTodos(signedIn(context), filterOf(request.filter), wanted);
      return pageOfRenderedRows(todoRows(found.todos, externalUrl), {
        ...found.page,
        keyset: wanted.mode === 'keyset',
      });
    },
    markTodoAsDone: async (request, context) =>
      json(todoJson(await todos.markTodoAsDone(signedIn(context), request.id), externalUrl)),
    markAllTodosAsDone: async (request, context) => {
      await todos.markAllTodosAsDone(signedIn(context).actor.userId, filterOf(request.filter));
      return nothing();
    },
    createMergeRequestTodo: (request, context) =>
      made(context, 'MergeRequest', request.projectId, request.mergeRequestIid),
    createIssueTodo: (request, context) => made(context, 'Issue', request.projectId, request.issueIid),
    createAlertTodo: (request, context) => made(context, 'AlertManagement::Alert', request.projectId, request.alertIid),
    createEpicTodo: (request, context) => made(context, 'Epic', request.groupId, request.epicIid),
  });
}
