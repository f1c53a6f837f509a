import { isAppError, unavailable } from '@switchyard/errors';
import type { RenderHookBodiesRequest, RenderHookBodiesResponse } from '@switchyard/protos/rpc/v1/hook_body';
import type { CallOptions } from '@switchyard/rpc';
import { RenderedTooLate, type RenderHookBodies } from '../application/change.ports';

/** `HookBodyService` of an owner. */
export interface HookBodyClient {
  renderHookBodies(request: RenderHookBodiesRequest, options: CallOptions): Promise<RenderHookBodiesResponse>;
}

/** Milliseconds that an owner has for a batch; below the lease on its events. */
const timeoutMs = 12_000;

/** Statuses of gRPC: the time is over, and the peer does not have the method. */
const [deadlineExceeded, unimplemented] = [4, 12];

/** An owner of an earlier release has no such method: its events wait until it is upgraded. */
function orAway(error: unknown): never {
  const { code } = (isAppError(error) ? (error.cause ?? {}) : {}) as { code?: unknown };
  if (code === deadlineExceeded) throw new RenderedTooLate('The time to render is over', { cause: error });
  throw code === unimplemented ? unavailable(error) : error;
}

/** Has events rendered by the service that published them. */
export const renderedBy =
  (client: HookBodyClient): RenderHookBodies =>
  async (events) => {
    const request = { events: events.map(({ eventId, type, body }) => ({ id: eventId, type, body })), allowAway: true };
    const requestId = `changes-${events[0]?.eventId ?? ''}`;
    const options = { requestId, timeoutMs, idempotent: true };
    return (await client.renderHookBodies(request, options).catch(orAway)).rendered;
  };
