import type { Outbound } from '@switchyard/outbound';
import type { Forge, ForgeKind, ForgeRepository } from '../domain/forge';
import { addressProblem } from './address';
import { forgeaClient, forgeaHost } from './forgea.client';
import type { ForgebCredentials } from './forgeb.rest';
import { forgebCloudClient, forgebCloudHost } from './forgeb-cloud.client';
import { forgebServerClient, forgebServerHost } from './forgeb-server.client';

/** Where a forge is. */
interface Place {
  readonly forge: ForgeKind;
  readonly host: string;
}

/** A user name has no colon; a password may. */
function credentialsOf(token: string): ForgebCredentials {
  const at = token.indexOf(':');
  return { username: token.slice(0, at), password: token.slice(at + 1) };
}

/**
 * Every kind of forge, by where it is.
 * @param cloud address of a stand-in of the hosted forge of forgeb
 */
export const forgesBy = (outbound: Outbound, cloud: string | undefined) => ({
  problemOf({ forge, host }: Place): string | undefined {
    if (forge === 'bitbucket') return outbound.problemOf(forgebCloudHost(cloud).api);
    return addressProblem(outbound, host, forge === 'github' ? forgeaHost : forgebServerHost);
  },
  open(
    { forge, host }: Place,
    token: string,
    signal?: AbortSignal,
  ): Forge & { repository(name: string): Promise<ForgeRepository> } {
    if (forge === 'bitbucket') return forgebCloudClient(outbound, forgebCloudHost(cloud), credentialsOf(token), signal);
    if (forge === 'bitbucket_server')
      return forgebServerClient(outbound, forgebServerHost(host), credentialsOf(token), signal);
    return forgeaClient(outbound, forgeaHost(host), token, signal);
  },
});
