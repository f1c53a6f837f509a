import { type Outbound, OutboundRefused, type PreparedRequest } from '@switchyard/outbound';

/** Milliseconds for one answer of a forge. */
const timeoutMs = 60_000;
/** Bytes of one answer: a page of 100 issues with texts of 64 KiB has 7 MiB. */
const maxResponseBytes = 32 << 20;

/** Statuses whose answers have no body. */
const bodiless = new Set([204, 205, 304]);

/** `fetch` by which a client library goes out through `libs/outbound`; it fails with `OutboundRefused`. */
export const outboundFetch =
  (outbound: Outbound) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const answer = await outbound.request(
      {
        method: (init.method ?? 'GET') as PreparedRequest['method'],
        url: String(url),
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
      },
      { timeoutMs, maxResponseBytes, ...(init.signal ? { signal: init.signal } : {}) },
    );
    if (answer.isCut) throw new OutboundRefused('too_large', 'The answer of the forge is too long');
    // None was asked for: what it unpacks to has no bound.
    if (!/^(identity)?$/i.test(answer.headers['content-encoding'] ?? ''))
      throw new OutboundRefused('invalid', 'The forge sent a compressed answer, which it was not asked for');
    return new Response(bodiless.has(answer.status) ? null : answer.body, {
      status: answer.status,
      headers: { ...answer.headers },
    });
  };
