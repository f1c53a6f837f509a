import { buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Allowed } from './allowed';
import { OutboundRefused, refusalOf } from './refused';
import { type CheckedRequest, checkRequest, type PreparedRequest, urlProblem } from './request';
import { openTargets, type Resolve, systemResolve, type Targets } from './resolve';

/** Limits of one request. */
export interface RequestLimits {
  /** Milliseconds in all, from the resolution of the name to the end of the answer; default 10,000 (G-6-5). */
  readonly timeoutMs?: number;
  /** Bytes of the answer's body that are kept; default 8 KiB (G-6-5). */
  readonly maxResponseBytes?: number;
  /** Redirects that are followed; default 3. */
  readonly maxRedirects?: number;
  /** Bytes of the request's body; default 25 MiB. */
  readonly maxRequestBytes?: number;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** What came back. */
export interface OutboundAnswer {
  readonly status: number;
  /** At most 50, names in lower case, values of at most 1 KiB (G-6-5). */
  readonly headers: Readonly<Record<string, string>>;
  /** At most `maxResponseBytes`, read as UTF-8. */
  readonly body: string;
  /** The body was longer. */
  readonly isCut: boolean;
}

/** Limits of a request whose answer streams. */
export interface StreamLimits extends Omit<RequestLimits, 'timeoutMs' | 'maxResponseBytes'> {
  /** Milliseconds until the head of the answer has come; default 60,000. */
  readonly headMs?: number;
  /** Milliseconds between two pieces of the body; default 60,000. */
  readonly idleMs?: number;
  /** Bytes of the answer's body, above which it breaks off. */
  readonly maxResponseBytes: number;
}

/** The head of an answer, and its body as it comes. */
export interface OutboundStream extends Pick<OutboundAnswer, 'status' | 'headers'> {
  /** Throws OutboundRefused where it breaks off, is late or too long. Has to be read to its end, or left early. */
  readonly body: AsyncIterable<Buffer>;
}

/** The one way out of a process. */
export interface Outbound {
  /**
   * Sends a request and waits for its answer; any status is an answer.
   * @throws OutboundRefused when there is none
   */
  request(request: PreparedRequest, limits?: RequestLimits): Promise<OutboundAnswer>;
  /**
   * Sends a request and gives its answer as it comes; any status is an answer.
   * @throws OutboundRefused when there is none
   */
  stream(request: PreparedRequest, limits: StreamLimits): Promise<OutboundStream>;
  /**
   * What is wrong with an address as far as it is known without a look-up, undefined for nothing: for the moment at
   * which a user configures it.
   */
  problemOf(url: string): string | undefined;
  /** Closes all connections; requests under way fail. */
  close(): Promise<void>;
}

/** What the way out is built from. */
export interface OutboundOptions {
  /** What may be reached beside public addresses. */
  readonly allowed: Allowed;
  /** Proxies as the environment names them. */
  readonly proxies?: { readonly http?: string; readonly https?: string; readonly none?: string };
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

const keptHeaders = 50;
const keptHeaderLength = 1_024;
/** Of `Link`: a list whose next page it names would end too early. */
const keptLinkLength = 8_192;
/** Of 50 headers of 1 KiB all arrive; of a larger head nothing does. */
const maxHeadBytes = 64 << 10;
/** A body that ends soon is read to its end, so that its connection can be used again. */
const drainedBytes = 64 << 10;
/** Bytes of the body of a request that says nothing else. */
const maxRequestBytes = 25 << 20;
/** Connections to one origin; more requests wait. */
const connectionsOfOrigin = 32;

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** Connects to the addresses that were checked, by the name that was asked for. */
const pinnedConnector = (targets: Targets, tls: { readonly rejectUnauthorized: boolean }): buildConnector.connector =>
  function connect(options, callback) {
    const port = options.port === '' ? (options.protocol === 'https:' ? 443 : 80) : Number(options.port);
    targets.addressesOf(options.hostname, port).then(
      (addresses) => {
        const [first] = addresses;
        const connector = buildConnector({
          ...tls,
          autoSelectFamily: true,
          lookup: (_name, { all }, found) =>
            all === true
              ? found(null, [...addresses] as never)
              : found(null, first?.address as never, first?.family as never),
        });
        connector(options, callback);
      },
      (error) => callback(error, null),
    );
  };

const flat = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, keptHeaders)
      .map(([name, value]) => [
        name.slice(0, keptHeaderLength),
        (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(
          0,
          name === 'link' ? keptLinkLength : keptHeaderLength,
        ),
      ]),
  );

/** The first bytes of a body; one that goes on for long is broken off. */
async function keep(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Pick<OutboundAnswer, 'body' | 'isCut'>> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < maxBytes) kept.push(chunk.subarray(0, maxBytes - read));
    read += chunk.length;
    if (read > maxBytes + drainedBytes) break;
  }
  return { body: Buffer.concat(kept).toString('utf8'), isCut: read > maxBytes };
}

/**
 * The request that follows a redirect; undefined when the answer is the last. What was posted is repeated where 307 or
 * 308 ask for it: any other redirect would turn it into a GET, and a delivery into a look at a page.
 * @throws OutboundRefused redirect
 */
function redirected(request: CheckedRequest, status: number, location: unknown): CheckedRequest | undefined {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const follows = status === 307 || status === 308 || (isReading && [301, 302, 303].includes(status));
  if (!follows || typeof location !== 'string') return undefined;
  const target = URL.canParse(location, request.target.href) ? new URL(location, request.target.href) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw new OutboundRefused('redirect', 'The host redirects to what is no http or https address');
  }
  if (request.target.protocol === 'https:' && target.protocol === 'http:') {
    throw new OutboundRefused('redirect', 'The host redirects from https to http');
  }
  target.username = '';
  target.password = '';
  if (target.origin === request.target.origin) return { ...request, target };
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !request.secret.has(name.toLowerCase())),
  );
  return { ...request, target, headers };
}

/** What work gives, or the reason of a signal once that is aborted: a name server cannot be told to stop. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let fail = (): void => undefined;
  const aborted = new Promise<never>((_settle, reject) => {
    fail = () => reject(signal.reason);
  });
  signal.addEventListener('abort', fail, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    // A deadline lasts for a minute, and would keep the answer for as long.
    signal.removeEventListener('abort', fail);
  }
}

/** Opens the way out; nothing is connected until the first request. */
export function openOutbound({ allowed, proxies = {}, resolve = systemResolve() }: OutboundOptions): Outbound {
  const targets = openTargets(allowed, resolve);
  const dispatcher = (rejectUnauthorized: boolean): Dispatcher =>
    new EnvHttpProxyAgent({
      // An empty text, so that undici does not read the environment itself.
      httpProxy: proxies.http ?? '',
      httpsProxy: proxies.https ?? '',
      noProxy: proxies.none ?? '',
      proxyTunnel: false,
      requestTls: { rejectUnauthorized },
      connect: pinnedConnector(targets, { rejectUnauthorized }),
      connections: connectionsOfOrigin,
      maxHeaderSize: maxHeadBytes,
    });
  const [verifying, trusting] = [dispatcher(true), dispatcher(false)];
  const hasProxy = proxies.http !== undefined || proxies.https !== undefined;

  // A proxy resolves the name itself, so this is as far as its target can be checked: by what the name is to us.
  const checkForProxy = async (url: URL): Promise<void> => {
    try {
      await targets.addressesOf(url.hostname, portOf(url));
    } catch (error) {
      if (error instanceof OutboundRefused) throw error;
    }
  };

  async function exchange(
    request: CheckedRequest,
    signal: AbortSignal,
  ): Promise<Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>> {
    const { target, method, headers, body, verifyTls = true } = request;
    targets.requireLiteral(target.hostname, portOf(target));
    if (hasProxy) await checkForProxy(target);
    return (verifyTls ? verifying : trusting).request({
      origin: target.origin,
      path: target.pathname + target.search,
      method,
      headers: { ...headers },
      body: body ?? null,
      signal,
    });
  }

  async function follow(
    first: CheckedRequest,
    { maxRedirects = 3 }: Pick<RequestLimits, 'maxRedirects'>,
    signal: AbortSignal,
  ): Promise<Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>> {
    let request = first;
    for (let hops = 0; ; hops += 1) {
      const { statusCode, headers, body } = await exchange(request, signal);
      let next: CheckedRequest | undefined;
      try {
        next = redirected(request, statusCode, headers.location);
        if (next !== undefined && hops >= maxRedirects) {
          throw new OutboundRefused('redirect', `The host redirects more than ${maxRedirects} times`);
        }
      } catch (error) {
        body.once('error', () => undefined).destroy();
        throw error;
      }
      if (next === undefined) return { statusCode, headers, body };
      await keep(body, 0);
      request = next;
    }
  }

  /** What a failure is while `deadline` and the caller's own signal may end the request. */
  const endedBy = (error: unknown, deadline: AbortSignal, own: AbortSignal | undefined): OutboundRefused => {
    if (deadline.aborted) return new OutboundRefused('timeout', 'The host did not answer in time', { cause: error });
    if (own?.aborted === true) return new OutboundRefused('aborted', 'The request was ended');
    return refusalOf(error);
  };

  return {
    async request(request, limits = {}) {
      const checked = checkRequest(request, limits.maxRequestBytes ?? maxRequestBytes);
      const deadline = AbortSignal.timeout(limits.timeoutMs ?? 10_000);
      const signal = limits.signal === undefined ? deadline : AbortSignal.any([deadline, limits.signal]);
      const answer = async (): Promise<OutboundAnswer> => {
        const { statusCode, headers, body } = await follow(checked, limits, signal);
        return {
          status: statusCode,
          headers: flat(headers),
          ...(await keep(body, limits.maxResponseBytes ?? 8 << 10)),
        };
      };
      try {
        return await unlessAborted(answer(), signal);
      } catch (error) {
        throw endedBy(error, deadline, limits.signal);
      }
    },

    async stream(request, limits) {
      const { headMs = 60_000, idleMs = 60_000, maxResponseBytes, signal: own } = limits;
      const checked = checkRequest(request, limits.maxRequestBytes ?? maxRequestBytes);
      const late = new AbortController();
      const signal = own === undefined ? late.signal : AbortSignal.any([late.signal, own]);
      let timer = setTimeout(() => late.abort(), headMs);
      try {
        const { statusCode, headers, body } = await unlessAborted(follow(checked, limits, signal), signal);
        return {
          status: statusCode,
          headers: flat(headers),
          body: (async function* () {
            let read = 0;
            try {
              for await (const chunk of body as AsyncIterable<Buffer>) {
                clearTimeout(timer);
                read += chunk.length;
                if (read > maxResponseBytes) {
                  throw new OutboundRefused('too_large', `The answer is longer than ${maxResponseBytes} bytes`);
                }
                yield chunk;
                timer = setTimeout(() => late.abort(), idleMs);
              }
            } catch (error) {
              throw endedBy(error, late.signal, own);
            } finally {
              clearTimeout(timer);
              body.once('error', () => undefined).destroy();
            }
          })(),
        };
      } catch (error) {
        clearTimeout(timer);
        throw endedBy(error, late.signal, own);
      }
    },

    problemOf(url) {
      const problem = urlProblem(url);
      if (problem !== undefined) return problem;
      const target = new URL(url);
      try {
        targets.requireLiteral(target.hostname, portOf(target));
      } catch {
        return 'is not allowed: it is local, private or reserved';
      }
      return undefined;
    },

    async close() {
      await Promise.all([verifying.destroy(), trusting.destroy()]);
    },
  };
}
