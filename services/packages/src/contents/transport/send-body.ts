import type { ForwardedCall } from '@switchyard/rpc';

/** Sends a short body that is at hand, without its bytes to a HEAD request. */
export function sendBody(
  { request, response }: ForwardedCall,
  status: number,
  body: string,
  headers: { readonly 'Content-Type': string; readonly [name: string]: string },
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': String(bytes.length) });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** The same of JSON. */
export const sendJson = (call: ForwardedCall, status: number, value: unknown): void =>
  sendBody(call, status, JSON.stringify(value), { 'Content-Type': 'application/json' });
