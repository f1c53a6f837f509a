import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { recordFields } from '@switchyard/service';
import { emojiName, isEmoji } from '@switchyard/texts';
import type { ImportedEmoji } from '../domain/imported-emoji';

const { text, user, time } = recordFields;

/** Kinds of records of reactions, by what these are given to. */
export type EmojiKind = 'issue_emoji' | 'merge_request_emoji' | 'snippet_emoji' | 'note_emoji';

/** The reactions to one thing as an archive has them (ADR 60). */
export const emojiRecord = z.object({
  on: z.int().min(1),
  award_emoji: z.array(z.object({ name: text(100), user, created_at: time })).max(100_000),
});

type EmojiRecord = z.infer<typeof emojiRecord>;

/** Names of who reacted. */
export const giversOf = (given: readonly EmojiRecord[]): (string | null)[] =>
  given.flatMap(({ award_emoji }) => award_emoji.map(({ user: name }) => name));

/** Reactions of an archive; those of somebody who is not written for are left out. */
export const toImportedEmoji = (given: readonly EmojiRecord[], people: ImportedPeople): ImportedEmoji[] =>
  given.flatMap(({ on, award_emoji }) =>
    award_emoji.flatMap(({ name: written, user: giver, created_at: createdAt }): ImportedEmoji[] => {
      const [name, userId] = [emojiName(written), people.decider(giver)];
      return userId === undefined || !isEmoji(name) ? [] : [{ on, name, userId, createdAt }];
    }),
  );
