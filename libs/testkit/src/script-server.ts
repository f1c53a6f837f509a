import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A server that a script of this lib runs in a process of its own. */
export interface ScriptServer {
  /** What it printed when it was ready. */
  readonly answer: Readonly<Record<string, string | undefined>>;
  ask(line: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts a script of this lib, by its path in it. */
export function startServer(script: string, ...args: string[]): Promise<ScriptServer> {
  const load = createRequire(__filename);
  const server = load(join(__dirname, '..', 'jest', 'server.cjs')) as { startServer: typeof startServer };
  return server.startServer(script, ...args);
}
