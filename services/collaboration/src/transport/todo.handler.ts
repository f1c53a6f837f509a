import { unauthorized } from '@switchyard/errors';
import { type TodoFilter as TodoFilterMessage, TodoServiceService } from '@switchyard/protos/collaboration/v1/todo';
import { type CallContext, implement, json, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import type { createMergeRequestTodo } from '../application/create-merge-request-todo';
import type { listTodos } from '../application/list-todos';
import type { markTodoAsDone } from '../application/mark-todo-as-done';
import type { TodoFilter } from '../domain/todo';
import { todoJson, todosJson } from '../presenters/todo.presenter';

/** Use cases behind the service. */
export interface TodoUseCases {
  readonly listTodos: ReturnType<typeof listTodos>;
  readonly markTodoAsDone: ReturnType<typeof markTodoAsDone>;
  readonly markAllTodosAsDone: (userId: number, filter: TodoFilter) => Promise<void>;
  readonly createMergeRequestTodo: ReturnType<typeof createMergeRequestTodo>;
}

const filterOf = (filter: TodoFilterMessage | undefined): TodoFilter => ({
  action: filter?.action || undefined,
  authorId: filter?.authorId,
  projectId: filter?.projectId,
  groupId: filter?.groupId,
  state: filter?.state === 'done' ? 'done' : 'pending',
  targetType: filter?.targetType || undefined,
});

const signedIn = (context: CallContext): CallContext => {
  if (context.actor.userId === 0) throw unauthorized();
  return context;
};

const noBody = Buffer.alloc(0);

/** Serves `TodoService`. */
export const todoHandler = (todos: TodoUseCases, externalUrl: string): ServiceImplementation =>
  implement(TodoServiceService, {
    listTodos: async (request, context) => {
      // The order is fixed (G-4.9-2).
      const wanted = { ...pageRequest(request.page, { orderBy: 'id' }), orderBy: 'id', sort: 'desc' as const };
      const found = await todos.listTodos(signedIn(context), filterOf(request.filter), wanted);
      const empty = page([], { ...found.page, keyset: wanted.mode === 'keyset' });
      return { ...empty, json: todosJson(found.todos, externalUrl) };
    },
    markTodoAsDone: async (request, context) =>
      json(todoJson(await todos.markTodoAsDone(signedIn(context), request.id), externalUrl)),
    markAllTodosAsDone: async (request, context) => {
      await todos.markAllTodosAsDone(signedIn(context).actor.userId, filterOf(request.filter));
      return json(noBody);
    },
    createMergeRequestTodo: async (request, context) => {
      const made = await todos.createMergeRequestTodo(signedIn(context), request.projectId, request.mergeRequestIid);
      return made === undefined ? json(noBody, 304) : json(todoJson(made, externalUrl));
    },
  });
