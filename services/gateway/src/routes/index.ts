import type { Route } from '../http/route';
import { todoRoutes } from './collaboration/todos.routes';
import { instanceRoutes } from './instance/instance.routes';

/** Every endpoint there is. Routing, checks and the reference document follow from these values. */
export const routes: readonly Route[] = [...instanceRoutes, ...todoRoutes];
