import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Parameters that carry a token (G-5-1), also as arrays and hashes of that name. */
const secret = /^(private_token|access_token|job_token)(\[|$)/;

/** The address of a request as its sender may be shown it: at the installation's own external URL, without tokens. */
export function shownUrl({ originalUrl }: Request, externalUrl: string): URL {
  const url = new URL(externalUrl + originalUrl);
  for (const name of [...url.searchParams.keys()]) if (secret.test(name)) url.searchParams.delete(name);
  return url;
}

/**
 * Makes of a request target in absolute form the path it names: the host in it is the sender's word, as `Host` is. To
 * be called before Express sees the request, which keeps the host of a target through all its routers.
 */
export function takeOriginForm(request: IncomingMessage): void {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(request.url ?? '')?.[1];
  if (path !== undefined) request.url = path.startsWith('/') ? path : `/${path}`;
}
