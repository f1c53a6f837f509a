import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { AppError, isAppError, unavailable, unprocessable } from '@switchyard/errors';
import { type Outbound, OutboundRefused } from '@switchyard/outbound';
import { type FromForge, NothingThere } from '../application/import-repository';

/** Bytes that a forge may send for one repository. */
const maxBytes = 10 * 1024 ** 3;
/** Bytes of one request of git's: the commits that it has and wants. */
const maxRequest = 16 << 20;
/** Milliseconds in which a forge has to begin its answer, and to go on with it. */
const waitMs = 120_000;
/** Seconds until a forge that asks for a pause without saying how long is asked again. */
const pause = 60;
/** Longest pause in seconds, whatever a forge asks for. */
const longestPause = 3_600;

/** Headers that git sends and needs. */
const passed = ['accept', 'content-type', 'content-encoding', 'git-protocol'] as const;

/** What an answer that is no success means for the import; undefined for a success. */
function refusalOf(status: number, headers: Readonly<Record<string, string>>): AppError | undefined {
  if (status < 400) return status < 300 ? undefined : unprocessable('The forge has no repository at this address');
  const seconds = Number(headers['retry-after']);
  const retryAfter = Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, longestPause) : pause;
  if (status === 429 || headers['retry-after'] !== undefined)
    return new AppError('rate_limited', 'The forge asks for a pause', { retryAfter });
  if (status >= 500) return unavailable(new Error(`the forge answered ${status}`), retryAfter);
  const message = `The forge does not let the repository be read (${status})`;
  return new AppError('unprocessable', message, status === 403 || status === 404 ? { cause: new NothingThere() } : {});
}

const transient = new Set<OutboundRefused['reason']>(['timeout', 'unreachable', 'aborted']);

function failureOf(error: unknown): AppError | undefined {
  if (!(error instanceof OutboundRefused)) return undefined;
  return transient.has(error.reason) ? unavailable(error, pause) : unprocessable(error.message);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxRequest) throw new OutboundRefused('invalid', 'The repository has too many refs to be fetched');
  }
  return Buffer.concat(chunks);
}

/**
 * Stands between git and a forge: git speaks to a port of this machine, under a name that nobody can guess, and what it
 * asks for goes out by `libs/outbound`. So neither its addresses, nor a redirect, nor its token are git's to handle.
 */
export function forgeRelay(outbound: Outbound): FromForge {
  return async ({ url, authorization, signal }, work) => {
    let failure: AppError | undefined;
    let left = maxBytes;
    const name = `/${randomBytes(24).toString('hex')}`;
    const paths = [`${name}/info/refs?service=git-upload-pack`, `${name}/git-upload-pack`];

    async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const [list, fetch] = paths;
      const isKnown =
        (request.method === 'GET' && request.url === list) || (request.method === 'POST' && request.url === fetch);
      if (!isKnown) return void response.writeHead(404).end();
      const headers = Object.fromEntries(
        passed.flatMap((one) => (request.headers[one] === undefined ? [] : [[one, String(request.headers[one])]])),
      );
      const answer = await outbound.stream(
        {
          method: request.method === 'GET' ? 'GET' : 'POST',
          url: url + String(request.url).slice(name.length),
          headers: { ...headers, 'user-agent': 'git/switchyard', ...(authorization === '' ? {} : { authorization }) },
          ...(request.method === 'GET' ? {} : { body: await bodyOf(request) }),
        },
        { headMs: waitMs, idleMs: waitMs, maxResponseBytes: left, maxRequestBytes: maxRequest, signal },
      );
      failure = refusalOf(answer.status, answer.headers);
      response.writeHead(failure === undefined ? 200 : 502, { 'content-type': answer.headers['content-type'] ?? '' });
      await pipeline(async function* () {
        for await (const chunk of answer.body) {
          left -= chunk.length;
          yield chunk;
        }
      }, response);
    }

    const server = createServer((request, response) => {
      relay(request, response).catch((error: unknown) => {
        failure = failureOf(error) ?? failure;
        response.destroy();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}${name}`, () => failure);
    } catch (error) {
      throw isAppError(error) ? error : (failure ?? error);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  };
}
