import type { z } from '@switchyard/config';
import { type Outbound, OutboundRefused } from '@switchyard/outbound';
import { type ForgePage, ForgeProblem } from '../domain/forge';
import { problemOfAnswer, problemOfRefusal, refusedToken, tooMany, unexpected } from './answers';
import { outboundFetch } from './outbound-fetch';

/** Who asks a forge of the family of forgeb. */
export interface ForgebCredentials {
  readonly username: string;
  /** App password, API token or access token. */
  readonly password: string;
}

/** Header `Authorization` of a user. */
export const basicOf = ({ username, password }: ForgebCredentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Whether a text is one part of a path and nothing else. */
export const isPathPart = (text: string): boolean => /^[\w.~-]{1,128}$/.test(text) && !/^\.+$/.test(text);

/** Parameters of an address; one with several values is there as often. */
export type Query = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * Asks a REST API for JSON. What an address answers with 404 is `not_found`; an answer without a body is undefined.
 * @param signal ends every request
 * @returns a function that throws `ForgeProblem`
 */
export function restOf(outbound: Outbound, api: string, credentials: ForgebCredentials, signal?: AbortSignal) {
  const send = outboundFetch(outbound);
  const headers = { Accept: 'application/json', Authorization: basicOf(credentials), 'User-Agent': 'switchyard' };
  const isSendable =
    /^[\x21-\x7e]+$/.test(credentials.password) && /^[\x21-\x39\x3b-\x7e]+$/.test(credentials.username);

  return async (path: string, query: Query = {}): Promise<unknown> => {
    // No forge gives others, and the name of a user ends at a colon.
    if (!isSendable) throw refusedToken();
    const url = new URL(`${api}${path}`);
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) url.searchParams.append(name, String(one));
    const answer = await send(url, { headers, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
      throw error instanceof OutboundRefused ? problemOfRefusal(error) : error;
    });
    const text = await answer.text();
    if (answer.status < 200 || answer.status > 299)
      throw problemOfAnswer({ status: answer.status, headers: Object.fromEntries(answer.headers), text }, Date.now());
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw unexpected();
    }
  };
}

/** What `restOf` gives. */
export type Rest = ReturnType<typeof restOf>;

/** The answer, or `otherwise` where the forge does not have it. @throws ForgeProblem */
export const orWithout = <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof ForgeProblem && error.kind === 'not_found') return otherwise;
    throw error;
  });

/** The list goes on where it was already, or nowhere. */
export const circle = (): ForgeProblem =>
  new ForgeProblem('refused', 'The pages of the forge do not go on one after the other');

/** A list that a forge does not have, or that is not brought over from it. */
export const none = async (): Promise<ForgePage<never>> => ({ fetched: 0, items: [], isLast: true });

/** What can be read of a page. @throws ForgeProblem when it has more than was asked for */
export function readableOf<T>(shape: z.ZodType<T>, values: readonly unknown[], size: number): readonly T[] {
  if (values.length > size) throw tooMany(size);
  return values.flatMap((one) => {
    const item = shape.safeParse(one);
    return item.success ? [item.data] : [];
  });
}
