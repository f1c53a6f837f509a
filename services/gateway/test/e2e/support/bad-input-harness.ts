import { replyValidator } from '../../support/reply-validator';
import { setBadInputFixture } from './bad-input-fixture';
import { goodRequests, isNoText } from './bad-requests';
import { type RawReply, type RawRequest, rawClient } from './raw-client';
import { startSystem } from './system';

/** Milliseconds that a read takes at the most. */
export const slowestMs = 2_000;
/** Milliseconds that a write takes at the most: it may wait for its turn at a branch. */
const slowestWriteMs = 10_000;

/** Traces of the inside: stacks, paths, SQL, names of libraries, git's own words. */
const leaks =
  /\n\s+at |\.[jt]s:\d+|node_modules|\/(work|home|root|tmp|var)\/|\bSELECT\b.*\bFROM\b|prisma|pg_catalog|syntax error at|ECONN|ENOENT|fatal:|git (cat-file|rev-parse|update-ref)|[0-9]+ INTERNAL|UNKNOWN:/;

/** What Go asks: it prints a refusal that is plain text. */
const isOfGo = /\/packages\/go\//;

const validate = replyValidator();

/** The JSON of a reply. */
export const bodyOf = (reply: Pick<RawReply, 'text'>) => JSON.parse(reply.text);

/** What is wrong with a reply; undefined when nothing is. */
export function fault(request: RawRequest, reply: RawReply): string | undefined {
  const exchange = `${request.method} ${request.path.slice(0, 200)} ${String(request.body ?? '').slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 300)}`;
  if (reply.status >= 500) return `fails: ${exchange}`;
  if (reply.took > (request.method === 'GET' ? slowestMs : slowestWriteMs))
    return `took ${Math.round(reply.took)} ms: ${exchange}`;
  if (reply.status >= 400) {
    const isPlain = String(reply.headers['content-type']).startsWith('text/plain');
    if (reply.status === 404 && isPlain && isOfGo.test(request.path))
      return leaks.test(reply.text) ? `tells too much: ${exchange}` : undefined;
    const { error, message, ...rest } = reply.text.startsWith('{') ? bodyOf(reply) : ({} as Record<string, unknown>);
    if (error === undefined && message === undefined) return `no error body: ${exchange}`;
    // `error_code` tells why a commit cannot be picked or reverted (gaps §10 Repository).
    if (Object.keys(rest).some((key) => !['error_description', 'scope', 'error_code'].includes(key)))
      return `odd body: ${exchange}`;
    if (!String(reply.headers['content-type']).startsWith('application/json')) return `not JSON: ${exchange}`;
    return leaks.test(reply.text) ? `tells too much: ${exchange}` : undefined;
  }
  if (isNoText(request)) return `takes bytes that are no text: ${exchange}`;
  const isJson = String(reply.headers['content-type']).startsWith('application/json');
  if (!isJson && reply.text !== '') return undefined;
  const path = request.path.split('?')[0] as string;
  const problems = validate(request.method, path, reply.status, reply.text === '' ? undefined : bodyOf(reply));
  return problems.length === 0 ? undefined : `breaks its contract (${problems.slice(0, 3).join('; ')}): ${exchange}`;
}

/** A system with things of every kind, and ways to ask it oddly. */
export type BadInputHarness = Awaited<ReturnType<typeof startBadInputHarness>>;

/** Starts one. */
export async function startBadInputHarness() {
  const system = await startSystem();
  const client = rawClient(system.url);
  let serial = 0;
  const next = (): number => {
    serial += 1;
    return serial;
  };
  const post = async (path: string, body: unknown, token?: string) => {
    const reply = await system.api('POST', path, { body, token });
    if (reply.status >= 300) throw new Error(`POST ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const send = (request: RawRequest, token = system.rootToken): Promise<RawReply> =>
    client.send({
      ...request,
      path: `/api/v4${request.path}`,
      headers: { ...(token === '' ? {} : { 'PRIVATE-TOKEN': token }), ...request.headers },
    });
  const json = (method: string, path: string, body: unknown, token?: string): Promise<RawReply> =>
    send({ method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }, token);
  const close = async (): Promise<void> => {
    client.close();
    await system.close();
  };
  const fixture = await setBadInputFixture(system, post, next).catch(async (error) => {
    await close();
    throw error;
  });
  return {
    system,
    fixture,
    next,
    post,
    send,
    json,
    ...goodRequests(fixture, system.rootToken, post, next),
    close,
  };
}
