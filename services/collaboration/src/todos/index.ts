export { composeTodos, type Todos } from './compose';
export { rebuildTodos } from './rebuild-todos';
export type { AlertTodoFollower } from './transport/alert-todo.follower';
