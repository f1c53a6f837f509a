import { busVariables, parseEnvironment, serviceVariables, type z } from '@switchyard/config';
import { assertMigrated, type Database, type MigrationSet, openDatabase } from '@switchyard/database';
import { type EventBus, openBus } from '@switchyard/events';

/** What a sub-command of a service works with. */
export interface CommandEdges<Config> {
  /** The variables that the command declares, parsed. */
  readonly config: Config;
  /** The service's database; it has been migrated to this version. */
  readonly db: Database;
  /** The bus, opened at the first call; needs `KAFKA_BROKERS` or `LOG_DATABASE_URL`. */
  bus(): EventBus;
  /** Prints one line for the operator. */
  write(line: string): void;
}

/**
 * A sub-command of a service for its operator: `node dist/main.js <name> …`. It reads `DATABASE_URL` and what it
 * declares.
 */
export interface Command {
  /** Arguments as the usage line shows them: `[--all]`; absent without any. */
  readonly usage?: string;
  /**
   * Runs it.
   * @returns the exit code; 0 when it returns nothing
   * @throws Error with one line that names the cause
   */
  run(
    given: Omit<CommandEdges<unknown>, 'config'>,
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
  ): Promise<number>;
}

/** Declares a sub-command, with the variables that it reads in addition to `DATABASE_URL`. */
export function command<V extends z.ZodRawShape>(declared: {
  readonly usage?: string;
  readonly variables?: V;
  run(
    given: CommandEdges<z.infer<z.ZodObject<V>>>,
    args: readonly string[],
  ): Promise<number | undefined> | Promise<void>;
}): Command {
  return {
    usage: declared.usage,
    async run(given, args, environment) {
      const config = parseEnvironment((declared.variables ?? {}) as V, environment);
      return (await declared.run({ ...given, config }, args)) ?? 0;
    },
  };
}

const commandVariables = { DATABASE_URL: serviceVariables.DATABASE_URL, ...busVariables };

/** Connections of a sub-command: it runs one statement at a time. */
const poolSize = 2;

/** Runs a sub-command on the database of a service and closes what it used. */
export async function runCommand(
  chosen: Command,
  given: {
    readonly name: string;
    readonly sets: MigrationSet[];
    readonly args: readonly string[];
    readonly write: (line: string) => void;
    readonly environment: NodeJS.ProcessEnv;
  },
): Promise<number> {
  const { name, sets, args, write, environment } = given;
  const config = parseEnvironment(commandVariables, environment);
  const url = config.DATABASE_URL;
  await assertMigrated({ url, sets });
  const db = openDatabase({ url, applicationName: name, poolSize });
  let opened: EventBus | undefined;
  const bus = (): EventBus => {
    opened ??= openBus(config, name);
    return opened;
  };
  try {
    return await chosen.run({ db, bus, write }, args, environment);
  } finally {
    await opened?.close();
    await db.close();
  }
}
