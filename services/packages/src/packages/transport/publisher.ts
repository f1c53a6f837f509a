import type { ForwardedCall } from '@switchyard/rpc';
import { effectiveLevel } from '../../protection';
import type { Publisher } from '../domain/publication';

/** Who publishes by a forwarded request; deploy and job tokens count with their level. */
export const publisherOf = ({ claims: { actor, access } }: Pick<ForwardedCall, 'claims'>): Publisher => ({
  userId: actor?.userId ?? 0,
  level: effectiveLevel(actor, access?.level),
  pipelineId: actor?.job?.pipelineId,
});
