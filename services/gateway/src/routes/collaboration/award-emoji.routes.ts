import { type AwardableRef, AwardEmojiServiceService } from '@switchyard/protos/collaboration/v1/award_emoji';
import type { z } from 'zod';
import { integer, text } from '../../http/params';
import { alsoBelow, defineRoute, type Route, type RouteHome } from '../../http/route';
import { noteables } from './noteables';

interface AwardableKind {
  /** What the path begins with. */
  readonly home: RouteHome;
  readonly path: string;
  readonly path_params: z.ZodRawShape;
  readonly name: string;
  ref(projectId: number, path: Record<string, unknown>): AwardableRef;
}

/** Reactions to every kind of noteable that takes them, and to notes (G-4.6-11). */
export const awardEmojiRoutes: readonly Route[] = noteables.flatMap((kind) => {
  const awardables: AwardableKind[] = [];
  const tiered = kind.tier === undefined ? {} : { tier: kind.tier };
  const own = kind.reactions ?? kind;
  if (kind.hasReactions)
    awardables.push({
      home: own,
      path: own.path,
      path_params: own.path_params,
      name: kind.name,
      ref: (projectId, at) => ({ noteable: own.ref(projectId, at), noteId: undefined }),
    });
  if (kind.hasNotes)
    awardables.push({
      home: kind,
      path: `${kind.path}/notes/:note_id`,
      path_params: { ...kind.path_params, note_id: integer() },
      name: `a note of ${kind.name}`,
      ref: (projectId, at) => ({ noteable: kind.ref(projectId, at), noteId: at.note_id as number }),
    });
  return awardables.flatMap(({ home, path: base, path_params, name, ref }) => {
    const path = `${base}/award_emoji`;
    const one = { ...path_params, award_id: integer() };
    return [
      defineRoute({
        method: 'get',
        path,
        section: 'Emoji reactions',
        summary: `List the reactions to ${name}`,
        access: kind.read,
        ...tiered,
        needsToken: true,
        path_params,
        list: {},
        returns: { 200: ['AwardEmoji'] },
        handle: ({ path: at, access, page, call }) =>
          call(AwardEmojiServiceService).listAwardEmoji({ awardable: ref(access.id, at), page }),
      }),
      defineRoute({
        method: 'get',
        path: `${path}/:award_id`,
        section: 'Emoji reactions',
        summary: `Get a reaction to ${name}`,
        access: kind.read,
        ...tiered,
        needsToken: true,
        path_params: one,
        returns: { 200: 'AwardEmoji' },
        handle: ({ path: at, access, call }) =>
          call(AwardEmojiServiceService).getAwardEmoji({
            awardable: ref(access.id, at),
            awardId: at.award_id as number,
          }),
      }),
      defineRoute({
        method: 'post',
        path,
        section: 'Emoji reactions',
        summary: `React to ${name}`,
        docs: { example: { name: 'thumbsup' } },
        access: kind.comment,
        ...tiered,
        path_params,
        params: { name: text({ notEmpty: true }) },
        returns: { 201: 'AwardEmoji' },
        handle: ({ params, path: at, access, call }) =>
          call(AwardEmojiServiceService).createAwardEmoji({ awardable: ref(access.id, at), name: params.name }),
      }),
      defineRoute({
        method: 'delete',
        path: `${path}/:award_id`,
        section: 'Emoji reactions',
        summary: `Take back a reaction to ${name}`,
        docs: { fails: [412] },
        access: kind.comment,
        ...tiered,
        path_params: one,
        returns: { 204: undefined },
        handle: ({ path: at, access, unmodifiedSince, call }) =>
          call(AwardEmojiServiceService).deleteAwardEmoji({
            awardable: ref(access.id, at),
            awardId: at.award_id as number,
            ifUnmodifiedSince: unmodifiedSince,
          }),
      }),
    ].map(alsoBelow(home));
  });
});
