import { type CallContext, viewerOf } from '@switchyard/rpc';
import type { IssueCaller } from './issue.edges';

/** The user of a call, as the rules of issues know them. */
export const callerOf = (context: Pick<CallContext, 'actor' | 'access' | 'requestId'>): IssueCaller => ({
  ...viewerOf(context),
  level: context.access?.level ?? 0,
  tier: context.access?.tier ?? '',
  requestId: context.requestId,
});
