import type { MigrationSet } from '@switchyard/database';
import type { ServiceConfig, Variables } from './configuration';
import type { ReplacedEdges } from './edges';
import type { ProcessContext, ServiceParts } from './process-parts';

/** A service that can be composed, started and run. */
export interface Service<V extends Variables> {
  readonly name: string;
  /** Names of all variables that it reads. */
  readonly variables: readonly string[];
  /** Migrations of its database, in the order in which they apply. */
  readonly migrationSets: MigrationSet[];
  /**
   * Parses its environment.
   * @throws Error with one line that names every variable at fault
   */
  readConfig(environment?: NodeJS.ProcessEnv): ServiceConfig<V>;
  /** Builds it on a migrated database; refuses (throws) one that is not. `replaced` is for tests. */
  compose(config: ServiceConfig<V>, context: ProcessContext, replaced?: ReplacedEdges): Promise<ServiceParts>;
  /** The whole life of its process: a sub-command, or start, serve and drain. */
  run(options: { readonly stopTelemetry: () => Promise<void> }): Promise<void>;
}
