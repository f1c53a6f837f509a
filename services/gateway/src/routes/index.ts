import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Route } from '../http/route';
import { instanceRoutes } from './instance.routes';

/** What the index of a folder here exports. The folder has the name of the service that answers its routes. */
interface RouteFolder {
  readonly routes: readonly Route[];
  /** True when some of them forward to the internal HTTP server of the service. */
  readonly forwards?: boolean;
}

/** A service with routes. */
export interface RoutedService extends RouteFolder {
  readonly name: string;
}

/** The services that the gateway calls: one for each folder here, by name. Variables and channels follow from them. */
export const services: readonly RoutedService[] = readdirSync(__dirname)
  .filter((name) => existsSync(join(__dirname, name, `index${extname(__filename)}`)))
  .sort()
  .map((name) => ({ name, ...(require(`./${name}`) as RouteFolder) }));

/** Every endpoint. Routing, checks and the reference document follow from these values. */
export const routes: readonly Route[] = [...instanceRoutes, ...services.flatMap((service) => service.routes)];
