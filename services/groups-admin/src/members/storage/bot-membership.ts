import { sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import type { Parent } from '../../parents';
import type { MemberRemovalReason } from '../domain/member-change';
import type { Membership } from '../domain/member-row';
import { publishMemberAdded, publishMemberRemoved } from './member.events';
import { findMembership, lockSource, membershipColumns, putMembership, updateMembership } from './membership.sql';

/** The membership that a bot has by its access token. */
export interface BotMembership {
  readonly userId: number;
  readonly level: number;
  /** `YYYY-MM-DD`, the first day without it. */
  readonly expiresAt: string;
}

/**
 * Memberships of the bots of access tokens, in the transaction of the token's change. They follow the token: no rule of
 * the API's members applies to them.
 */
export const botMemberships = {
  /** Locks a project or group, so that changes of its members follow one another; false when it was purged. */
  lock: lockSource,

  /** Makes a bot a member, or gives its membership another expiry. */
  async put(tx: DirectoryTx, source: Parent, bot: BotMembership, actorId: number): Promise<void> {
    const known = await findMembership(tx, source, bot.userId);
    if (known !== undefined && !known.expired) return updateMembership(tx, known.id, bot.level, bot.expiresAt);
    await publishMemberAdded(tx, [await putMembership(tx, source, { ...bot, createdBy: actorId })], actorId);
  },

  /** Ends every membership of a bot, also in what it has made itself. */
  async end(
    tx: DirectoryTx,
    userId: number,
    by: { readonly actorId: number; readonly reason: MemberRemovalReason },
  ): Promise<void> {
    const held = await tx.query<Membership>(
      sql`select ${membershipColumns} from memberships m where m.user_id = ${userId}::bigint order by m.id for update`,
    );
    await tx.erase(
      'membership',
      held.map(({ id }) => id),
    );
    tx.withSequence((sequence) => publishMemberRemoved(tx, held, { ...by, sequence }));
  },
};
