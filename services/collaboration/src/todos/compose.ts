import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { MergeRequestFollower } from '../merge-requests';
import { noteableStore } from '../noteables';
import type { CommandTodos } from '../notes';
import type { TargetOwners } from '../targets';
import { createTodo } from './application/create-todo';
import { followNotes } from './application/follow-notes';
import { followTargets } from './application/follow-targets';
import { listTodos } from './application/list-todos';
import { markTodoAsDone } from './application/mark-todo-as-done';
import { commandTodos } from './application/quick-action-todos';
import { removeOrphanedTodos } from './application/remove-orphaned-todos';
import { accessRequestTodos } from './storage/access-request-todos';
import { todoList } from './storage/todo.list';
import { todoStore } from './storage/todo.store';
import { accessRequestSubscription } from './transport/access-request-todo.subscription';
import { type AlertTodoFollower, alertTodoFollower } from './transport/alert-todo.follower';
import { mergeRequestTodoFollower } from './transport/merge-request-todo.follower';
import { todoHandler } from './transport/todo.handler';
import { todoSubscriptions } from './transport/todo.subscription';

/** Consumer group of to-dos: separate from the other groups of these events, so that neither waits for the other. */
const todoGroup = 'collaboration.todos';

/** To-dos, and what other areas use of them. */
export interface Todos extends Area {
  /** Raises and resolves to-dos as merge requests change. */
  readonly mergeRequestFollower: MergeRequestFollower;
  /** Raises and resolves to-dos as alerts change. */
  readonly alertFollower: AlertTodoFollower;
  /** What `/todo` and `/done` in a note do. */
  readonly commands: CommandTodos;
}

/** Builds to-dos. */
export function composeTodos({ config, db, directory, prisma, observe }: Edges, targets: TargetOwners): Todos {
  const list = todoList(db);
  const todos = todoStore(db, prisma);
  const follow = followTargets({ todos });
  const useCases = observe('collaboration', {
    listTodos: listTodos({ list, targets }),
    markTodoAsDone: markTodoAsDone({ list, todos, targets }),
    markAllTodosAsDone: todos.markAllDone,
    createTodo: createTodo({ list, todos, targets }),
    // One rule for all targets, measured by what is followed; `followTodos` is that of alerts.
    followMergeRequests: follow,
    followIssues: follow,
    followEpics: follow,
    followTodos: follow,
    followNotes: followNotes({ todos }),
  });
  return {
    services: [todoHandler(useCases, config.SWITCHYARD_EXTERNAL_URL)],
    consumers: [
      {
        group: todoGroup,
        subscriptions: [
          accessRequestSubscription(accessRequestTodos, directory),
          ...todoSubscriptions({
            followIssues: useCases.followIssues,
            followEpics: useCases.followEpics,
            followMergeRequests: useCases.followMergeRequests,
            followNotes: useCases.followNotes,
            removeNote: todos.removeNote,
            removeLost: todos.removeLost,
            removeUnshared: todos.removeUnshared,
            commitRow: noteableStore.id,
            directory,
          }),
        ],
      },
    ],
    start: () => [removeOrphanedTodos(todos)],
    mergeRequestFollower: mergeRequestTodoFollower(useCases.followMergeRequests),
    alertFollower: alertTodoFollower(useCases.followTodos),
    commands: commandTodos(db, todos),
  };
}
