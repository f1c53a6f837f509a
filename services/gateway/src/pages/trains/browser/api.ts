/** A refusal of the API, or of the network (status 0). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    /** Seconds after which to try again; 0 when the server does not say. */
    readonly retryAfter: number,
  ) {
    super(`status ${status}`);
  }
}

/** The API as the page reads it, with one token. */
export interface Api {
  /** A JSON reply and its headers. @throws Refusal */
  get<T>(path: string, signal?: AbortSignal): Promise<{ body: T; headers: Headers }>;
  /** A stream. @throws Refusal */
  open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** The seconds of a `Retry-After`; 0 for none, and for a date, which proxies send: clocks differ. */
export const secondsOf = (header: string | null): number => (/^\d+$/.test(header ?? '') ? Number(header) : 0);

/** The API below `base`, which is empty or a path. */
export function apiOf(base: string, token: string): Api {
  async function send(path: string, accept: string, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${base}/api/v4${path}`, {
        headers: { 'PRIVATE-TOKEN': token, Accept: accept },
        credentials: 'omit',
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Refusal(0, 0);
    }
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Refusal(response.status, secondsOf(response.headers.get('Retry-After')));
  }
  return {
    async get<T>(path: string, signal?: AbortSignal) {
      const response = await send(path, 'application/json', signal);
      return { body: (await response.json()) as T, headers: response.headers };
    },
    async open(path, signal) {
      const { body } = await send(path, 'text/event-stream', signal);
      if (body === null) throw new Refusal(0, 0);
      return body;
    },
  };
}
