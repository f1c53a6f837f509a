import { levels } from '@switchyard/rights';

/** An epic at one end of a link, as far as it matters who reads it. */
export interface LinkEnd {
  readonly group: { readonly id: number; readonly visibility: string; readonly ancestry: readonly number[] };
  readonly confidential: boolean;
}

const ownLevel = ({ confidential }: LinkEnd): number => (confidential ? levels.planner : 0);

/**
 * Least level in the group of one epic by which its readers read another one as well: that of every reader where the
 * other is public, that of members where it lies below, since they are members there too. Undefined where no level says
 * so: the other lies above or elsewhere, and is not public.
 */
export function levelForBoth(one: LinkEnd, other: LinkEnd): number | undefined {
  if (one.group.id === other.group.id) return Math.max(ownLevel(one), ownLevel(other));
  if (!other.confidential && other.group.visibility === 'public') return ownLevel(one);
  if (!other.group.ancestry.includes(one.group.id)) return undefined;
  return Math.max(levels.guest, ownLevel(one), ownLevel(other));
}
