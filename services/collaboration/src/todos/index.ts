export { composeTodos, type Todos } from './compose';
export { rebuildTodos } from './rebuild-todos';
export { mentionedUsers } from './storage/mentioned-users';
export { noteReaders } from './storage/todo.visibility';
export type { AlertTodoFollower } from './transport/alert-todo.follower';
