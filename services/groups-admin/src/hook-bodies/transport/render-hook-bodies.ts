import {
  accessRequestEvents,
  decodeBody,
  groupEvents,
  membershipEvents,
  milestoneEvents,
  projectEvents,
  sshKeyEvents,
  userEvents,
} from '@switchyard/events';
import type { RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import type { HookFacts, NamedIds } from '../domain/hook-facts';
import { presentHookBodies } from './hook-body.mapper';
import { type HookEvent, namedIn } from './hook-event';

/** An event as it waits. */
export interface EncodedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
}

const decoders: Readonly<Record<string, (body: string) => HookEvent>> = {
  [membershipEvents.type]: (body) => ({ of: 'membership', event: decodeBody(membershipEvents, body) }),
  [accessRequestEvents.type]: (body) => ({ of: 'access_request', event: decodeBody(accessRequestEvents, body) }),
  [projectEvents.type]: (body) => ({ of: 'project', event: decodeBody(projectEvents, body) }),
  [groupEvents.type]: (body) => ({ of: 'group', event: decodeBody(groupEvents, body) }),
  [milestoneEvents.type]: (body) => ({ of: 'milestone', event: decodeBody(milestoneEvents, body) }),
  [userEvents.type]: (body) => ({ of: 'user', event: decodeBody(userEvents, body) }),
  [sshKeyEvents.type]: (body) => ({ of: 'key', event: decodeBody(sshKeyEvents, body) }),
};

function decode({ type, body }: EncodedEvent): HookEvent {
  const decoder = decoders[type];
  if (decoder === undefined) throw new Error(`no hook body is known for ${type}`);
  return decoder(body);
}

/** Renders events of this service, by a constant number of statements. */
export const renderHookBodies =
  ({ factsOf, externalUrl }: { factsOf: (named: readonly NamedIds[]) => Promise<HookFacts>; externalUrl: string }) =>
  async (events: readonly EncodedEvent[]): Promise<readonly RenderedHookBodies[]> => {
    const decoded = events.map((event) => ({ eventId: event.eventId, given: decode(event) }));
    const facts = await factsOf(decoded.map(({ given }) => namedIn(given)));
    return decoded.map(({ eventId, given }) => ({
      eventId,
      bodies: presentHookBodies(eventId, given, facts, externalUrl),
    }));
  };
