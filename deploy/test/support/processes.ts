import { join } from 'node:path';
import { addressVariable, httpVariable, SERVICES } from '../../catalogue.mjs';

/** The folder that holds what is deployed. */
export const deploy = join(__dirname, '../..');
/** Names of all processes, as the catalogue orders them. */
export const names = SERVICES.map(({ name }) => name);
/** Variables that a process reads. */
export const variablesOf = (process: string): readonly string[] =>
  SERVICES.find(({ name }) => name === process)?.variables ?? [];

/** What every process takes, beside its own configuration. */
export const common = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG', 'LOG_LEVEL'];

/** Where a secret may be: the variable or file that carries it, and the processes that use it. */
export const holders: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    SERVICES.flatMap(({ requiredSecrets, secrets }) => [...requiredSecrets, ...secrets]).map((secret) => [
      secret,
      names.filter((name) => variablesOf(name).includes(secret)),
    ]),
  ),
  DATABASE_URL: SERVICES.filter(({ database }) => database).map(({ name }) => name),
};

/** Whom a process calls over gRPC and HTTP, by the addresses that it reads. */
export const callsOf = (process: string, suffix: 'ADDRESS' | 'HTTP_URL'): string[] =>
  names
    .filter((name) => variablesOf(process).includes(suffix === 'ADDRESS' ? addressVariable(name) : httpVariable(name)))
    .sort();
