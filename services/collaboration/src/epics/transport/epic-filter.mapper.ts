import { reactionMatch, titleMatch, userMatch } from '@switchyard/messages';
import type { EpicFilter as WireFilter } from '@switchyard/protos/collaboration/v1/epic';
import { searchMatch } from '@switchyard/texts';
import type { EpicState } from '../domain/epic';
import type { EpicFilter } from '../domain/epic-query';

/** A filter as the domain has it. */
export function toEpicFilter(wire: WireFilter | undefined): EpicFilter {
  if (wire === undefined) return {};
  return {
    state: (wire.state || undefined) as EpicState | undefined,
    author: userMatch(wire.author),
    labels: titleMatch(wire.labels),
    search: searchMatch(wire),
    confidential: wire.confidential,
    reaction: reactionMatch(wire.reaction),
    createdAfter: wire.createdAfter,
    createdBefore: wire.createdBefore,
    updatedAfter: wire.updatedAfter,
    updatedBefore: wire.updatedBefore,
    not: wire.not && { labels: titleMatch(wire.not.labels), author: userMatch(wire.not.author) },
  };
}
