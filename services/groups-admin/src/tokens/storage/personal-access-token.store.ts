import { databaseError, isForeignKeyViolation, requireUnmodified, sql } from '@switchyard/database';
import { prismaStatement, prismaTransaction } from '../../directory';
import type { PrismaClient } from '../../generated/prisma/client';

/** A token to store. */
export interface NewToken {
  userId: number;
  name: string;
  description: string | undefined;
  scopes: string[];
  /** `YYYY-MM-DD`. */
  expiresAt: string;
  digest: Buffer;
}

/** What came of a rotation. */
export type Rotation = { replacement: number } | 'missing' | 'revoked' | 'reused';

/** Changes of tokens. */
export interface TokenStore {
  /** The user a token can be made for; undefined when there is none. */
  owner(userId: number): Promise<{ admin: boolean; userType: string } | undefined>;
  /** Stores a token; returns its id, or undefined when the user was deleted meanwhile. */
  create(token: NewToken): Promise<number | undefined>;
  /** Revokes a token; a revoked one stays so. @throws AppError precondition_failed when it changed after `unmodifiedSince` */
  revoke(tokenId: number, unmodifiedSince?: Date): Promise<void>;
  /**
   * Puts a new token in the place of one, which is revoked, in one transaction. One that was rotated before is `reused`: every token of
   * its chain is revoked then (G-4.5-12).
   */
  rotate(tokenId: number, replacement: { digest: Buffer; expiresAt: string }): Promise<Rotation>;
}

// PostgreSQL has no year 0; any date so long ago means the same.
const day = (date: string): Date => new Date(`${date.replace(/^0000/, '0001')}T00:00:00Z`);

/** The store over Prisma. */
export function tokenStore(prisma: PrismaClient): TokenStore {
  return {
    async owner(userId) {
      const user = await prismaStatement(
        prisma.user.findUnique({ where: { id: BigInt(userId) }, select: { admin: true, userType: true } }),
      );
      return user ?? undefined;
    },

    async create({ userId, name, description, scopes, expiresAt, digest }) {
      try {
        const created = await prisma.personalAccessToken.create({
          data: {
            userId: BigInt(userId),
            name,
            description,
            scopes,
            expiresAt: day(expiresAt),
            tokenDigest: Uint8Array.from(digest),
          },
          select: { id: true },
        });
        return Number(created.id);
      } catch (error) {
        if (isForeignKeyViolation(error)) return undefined;
        throw databaseError(error);
      }
    },

    revoke: (tokenId, unmodifiedSince) =>
      prismaTransaction(prisma, async (client, tx) => {
        await requireUnmodified(tx, 'personal_access_tokens', tokenId, unmodifiedSince);
        await client.personalAccessToken.updateMany({
          where: { id: BigInt(tokenId), revoked: false },
          data: { revoked: true, updatedAt: new Date() },
        });
      }),

    rotate: (tokenId, { digest, expiresAt }) =>
      prismaTransaction(prisma, async (client, tx): Promise<Rotation> => {
        const old = await tx.one<{ revoked: boolean; family_id: number | null; replaced: boolean }>(sql`
          select t.revoked, t.family_id, exists (select from personal_access_tokens n where n.previous_id = t.id) as replaced
          from personal_access_tokens t where t.id = ${tokenId}::bigint for update of t`);
        if (old === undefined) return 'missing';
        const family = old.family_id ?? tokenId;
        if (old.revoked && old.replaced) {
          await client.personalAccessToken.updateMany({
            where: { OR: [{ id: BigInt(family) }, { familyId: BigInt(family) }], revoked: false },
            data: { revoked: true, updatedAt: new Date() },
          });
          return 'reused';
        }
        if (old.revoked) return 'revoked';
        const { userId, name, description, scopes } = await client.personalAccessToken.update({
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
          },
          select: { id: true },
        });
        return { replacement: Number(created.id) };
      }),
  };
}
