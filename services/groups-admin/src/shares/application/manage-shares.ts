import { notFound } from '@switchyard/errors';
import type { MemberActor } from '../../members';
import { dateOf } from '../../rules';
import { decideCreate, decideDelete, type ShareChangeRequest, type ShareRole } from '../domain/share-change';
import type { Share } from '../domain/share-row';
import type { ShareStore } from './share.ports';

/** Shares of groups and projects with groups (G-4.15-8). */
export const manageShares = ({ shares }: { shares: ShareStore }) => ({
  /** @throws AppError as `decideCreate`; not_found for what is shared */
  async create(actor: MemberActor, request: ShareChangeRequest, role: ShareRole): Promise<Share> {
    const { source } = request;
    const share = await shares.change(request, (facts) => decideCreate(actor, source, role, facts, dateOf(new Date())));
    if (share === undefined) throw notFound(source.kind === 'group' ? 'Group' : 'Project');
    return share;
  },

  /** @throws AppError not_found, forbidden, precondition_failed */
  async remove(actor: MemberActor, request: ShareChangeRequest): Promise<void> {
    const share = await shares.change(request, (facts) => decideDelete(actor, facts));
    if (share === undefined) throw notFound('Group Link');
  },

  /**
   * Removes shares that have expired; they have given nothing since then.
   * @returns how many
   */
  expire: (limit = 200): Promise<number> => shares.expire(limit),
});

/** Use cases of shares. */
export type ManageShares = ReturnType<typeof manageShares>;
