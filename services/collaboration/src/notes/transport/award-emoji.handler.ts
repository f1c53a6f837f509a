import {
  type AwardableRef as AwardableRefMessage,
  AwardEmojiServiceService,
} from '@switchyard/protos/collaboration/v1/award_emoji';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation, signedIn } from '@switchyard/rpc';
import type { AwardableRef, createAward, deleteAward, getAward, listAwards } from '../application/award-emoji';
import { presentAward } from '../presenters/award-emoji.presenter';
import { refOf } from './note.handler';

/** Use cases behind the service. */
export interface AwardUseCases {
  readonly listAwards: ReturnType<typeof listAwards>;
  readonly getAward: ReturnType<typeof getAward>;
  readonly createAward: ReturnType<typeof createAward>;
  readonly deleteAward: ReturnType<typeof deleteAward>;
}

const awardableOf = (message: AwardableRefMessage | undefined): AwardableRef => ({
  noteable: refOf(message?.noteable),
  noteId: message?.noteId,
});

/** Serves `AwardEmojiService`. */
export const awardEmojiHandler = (awards: AwardUseCases, externalUrl: string): ServiceImplementation =>
  implement(AwardEmojiServiceService, {
    listAwardEmoji: async (request, context) => {
      const wanted = fixedOrder(request.page, 'id', 'asc');
      const found = await awards.listAwards(signedIn(context), awardableOf(request.awardable), wanted);
      return page(
        found.rows.map((row) => presentAward(row, externalUrl)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },
    getAwardEmoji: async ({ awardable, awardId }, context) =>
      entity(presentAward(await awards.getAward(signedIn(context), awardableOf(awardable), awardId), externalUrl)),
    createAwardEmoji: async ({ awardable, name }, context) =>
      entity(presentAward(await awards.createAward(signedIn(context), awardableOf(awardable), name), externalUrl)),
    deleteAwardEmoji: async ({ awardable, awardId, ifUnmodifiedSince }, context) => {
      await awards.deleteAward(signedIn(context), awardableOf(awardable), awardId, ifUnmodifiedSince);
      return nothing();
    },
  });
