import type { ForwardedCall } from '@switchyard/rpc';
import { sendDocument } from '../../contents';

/** Sends a JSON text as `sendDocument` does. */
export const sendJson = (call: ForwardedCall, json: string): Promise<void> =>
  sendDocument(call, json, 'application/json');

/** Sends a reply without a body. */
export function sendNothing({ response }: ForwardedCall): void {
  response.writeHead(204).end();
}
