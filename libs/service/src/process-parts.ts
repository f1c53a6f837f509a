import type { RequestListener } from 'node:http';
import type { ServiceImplementation, Signer, StatementCounter, TrustedKeys, WriteGuard } from '@switchyard/rpc';

/** The part of a service's configuration that its lifecycle reads; `serviceVariables` of libs/config has it. */
export interface ProcessConfig {
  /** Interface both servers listen on. */
  readonly HOST: string;
  /** Port of the gRPC server; 0 for any free one. */
  readonly GRPC_PORT: number;
  /** Port of the internal HTTP server; 0 for any free one. */
  readonly HTTP_PORT: number;
  /** Seconds that running requests have to end. */
  readonly SWITCHYARD_DRAIN_SECONDS: number;
  readonly SWITCHYARD_IDENTITY_KEY_FILE: string;
  readonly SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: string;
}

/** What the lifecycle gives a service to build itself with. */
export interface ProcessContext {
  /** Signs this process's own calls. */
  readonly signer: Signer;
  /** Keys of the processes whose calls are believed; for HTTP handlers that check signed metadata themselves. */
  readonly trusted: TrustedKeys;
}

/** A composed service, not yet listening. */
export interface ServiceParts {
  /** gRPC services with their handlers. */
  readonly services: readonly ServiceImplementation[];
  /** Waits until the local directory has reached a sequence (D5). */
  readonly ensureDirectory?: (sequence: number) => Promise<void>;
  /** Counts the SQL statements of a call: `countStatements` of libs/database. */
  readonly countStatements?: StatementCounter;
  /** Keeps calls that can no longer be answered from writing: `guardWrites` of libs/database. */
  readonly guardWrites?: WriteGuard;
  /** Answers every request of the internal HTTP server that is not one of `/-/liveness`, `/-/readiness`, `/metrics`. */
  readonly http?: RequestListener;
  /** Throws while the service cannot serve (its database is away); called by `/-/readiness`. */
  readonly ready?: () => Promise<void>;
  /** Starts background work (relay, consumers, reconcilers) once both servers listen. */
  readonly start?: () => Promise<void>;
  /** Called first in a shutdown: ends long waits, takes no new background work. Running calls still finish after it. */
  readonly drain?: () => void;
  /** Stops background work and closes pools and connections, after both servers have closed. */
  readonly close: () => Promise<void>;
}
