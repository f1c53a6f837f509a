import {
  type Database,
  databaseError,
  isForeignKeyViolation,
  type PageRequest,
  requireUnmodified,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { DirectoryWriter } from '../../directory';
import type { PrismaClient } from '../../generated/prisma/client';
import type {
  NewToken,
  Rotation,
  TokenFilter,
  TokenRecord,
  TokenReplacement,
} from '../domain/personal-access-token-row';
import { decideRotation } from '../domain/token-rotation';
import { followTokens } from './access-token-bot.store';
import { findToken, listTokens } from './personal-access-token.list';

// PostgreSQL has no year 0; any date so long ago means the same.
const day = (date: string): Date => new Date(`${date.replace(/^0000/, '0001')}T00:00:00Z`);

/** Tokens over Prisma; lists and locks are SQL. */
export function tokenStore(db: Database, prisma: PrismaClient, { transaction, prismaTransaction }: DirectoryWriter) {
  return {
    find: (tokenId: number): Promise<TokenRecord | undefined> => findToken(db, tokenId),
    list: (filter: TokenFilter, request: PageRequest) => listTokens(db, filter, request),

    owner: (userId: number): Promise<{ admin: boolean; userType: string } | undefined> =>
      db.one(sql`select admin, user_type as "userType" from users where id = ${userId}::bigint`),

    async create({
      userId,
      name,
      description,
      scopes,
      expiresAt,
      digest,
      kind,
    }: NewToken): Promise<number | undefined> {
      try {
        const created = await prisma.personalAccessToken.create({
          data: {
            userId: BigInt(userId),
            name,
            description,
            scopes,
            expiresAt: day(expiresAt),
            tokenDigest: Uint8Array.from(digest),
            kind,
          },
          select: { id: true },
        });
        return Number(created.id);
      } catch (error) {
        if (isForeignKeyViolation(error)) return undefined;
        throw databaseError(error);
      }
    },

    revoke: (tokenId: number, actorId: number, unmodifiedSince?: Date): Promise<void> =>
      transaction(async (tx) => {
        await requireUnmodified(tx, 'personal_access_tokens', tokenId, unmodifiedSince);
        const [revoked] = await tx.query<{ user_id: number }>(sql`
          update personal_access_tokens set revoked = true, replaced = false, updated_at = now()
          where id = ${tokenId}::bigint and (not revoked or replaced) returning user_id`);
        if (revoked !== undefined) await followTokens(tx, revoked.user_id, actorId);
      }),

    rotate: (
      tokenId: number,
      actorId: number,
      { digest, expiresAt, revokesFamily }: TokenReplacement,
    ): Promise<Rotation> =>
      prismaTransaction(async (client, tx): Promise<Rotation> => {
        const old = await tx.one<{
          user_id: number;
          revoked: boolean;
          family_id: number | null;
          replaced: boolean;
        }>(sql`
          select t.user_id, t.revoked, t.family_id, exists (select from personal_access_tokens n where n.previous_id = t.id) as replaced
          from personal_access_tokens t where t.id = ${tokenId}::bigint for update of t`);
        if (old === undefined) return 'missing';
        const family = old.family_id ?? tokenId;
        const decision = decideRotation(old, revokesFamily);
        if (decision === 'revoke_family') {
          await client.personalAccessToken.updateMany({
            where: { OR: [{ id: BigInt(family) }, { familyId: BigInt(family) }], revoked: false },
            data: { revoked: true, updatedAt: new Date() },
          });
          await followTokens(tx, old.user_id, actorId);
          return 'reused';
        }
        if (decision === 'refuse') return 'revoked';
        const { userId, name, description, scopes, kind } = await client.personalAccessToken.update({
          where: { id: BigInt(tokenId) },
          data: { revoked: true, updatedAt: new Date() },
        });
        const created = await client.personalAccessToken.create({
          data: {
            userId,
            name,
            description,
            scopes,
            expiresAt: day(expiresAt),
            tokenDigest: Uint8Array.from(digest),
            previousId: BigInt(tokenId),
            familyId: BigInt(family),
            // An operator's token is replaced by an ordinary one.
            kind: kind === 'bootstrap' ? 'personal' : kind,
          },
          select: { id: true },
        });
        await followTokens(tx, old.user_id, actorId);
        return { replacement: Number(created.id) };
      }),
  };
}
