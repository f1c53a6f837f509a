import { blobVariables } from '@switchyard/blobs';
import { hostPort, parseEnvironment, serviceVariables, type z } from '@switchyard/config';
import type { Needs } from './needs';

/** Variables of a service, by name, as zod reads them. */
export type Variables = z.ZodRawShape;

/** The parsed environment of a service: its own variables and those of every service. */
export type ServiceConfig<V extends Variables> = z.infer<z.ZodObject<typeof serviceVariables>> &
  z.infer<z.ZodObject<V>>;

/** The variable that names the address of a service: `GROUPS_ADMIN_ADDRESS` for `groups-admin`. */
export const addressVariable = (service: string): string => `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;

/** Every variable that a service reads. */
export function variablesOf(own: Variables, peers: readonly string[], needs: Needs): Variables {
  return {
    ...serviceVariables,
    ...(needs.blobs ? blobVariables : {}),
    ...Object.fromEntries(peers.map((peer) => [addressVariable(peer), hostPort()])),
    ...own,
  };
}

/**
 * Parses the environment of a service.
 * @throws Error with one line that names every variable at fault
 */
export const readServiceConfig = <V extends Variables>(
  variables: Variables,
  environment: NodeJS.ProcessEnv,
): ServiceConfig<V> => parseEnvironment(variables, environment) as ServiceConfig<V>;
