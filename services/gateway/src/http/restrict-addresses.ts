import type { BlockList } from 'node:net';
import type { ResolveResponse } from '@switchyard/protos/groups_admin/v1/access';
import { levels } from '@switchyard/rights';
import { addressRanges, isWithin } from '@switchyard/rpc';
import { LRUCache } from 'lru-cache';
import type { AccessResolver, Question } from './resolve-access';

/** Lists of ranges that are kept ready. */
const keptLists = 200;
const lists = new LRUCache<string, BlockList>({ max: keptLists });

/** Ranges as groups-admin has checked them, ready to be compared with. */
function listOf(ranges: readonly string[]): BlockList {
  const name = ranges.join();
  const known = lists.get(name);
  if (known !== undefined) return known;
  const list = addressRanges(ranges);
  lists.set(name, list);
  return list;
}

/** Whether the target is a top-level group that the caller owns. */
const ownsTopLevel = ({ access }: ResolveResponse, { target }: Question): boolean =>
  target?.kind === 'group' && access !== undefined && !access.fullPath.includes('/') && access.level >= levels.owner;

/** The answer as it is for the address of the question: a target that is closed to it is as good as none. */
function forAddress({ addresses, ...answer }: ResolveResponse, question: Question): AddressedResponse {
  if (addresses === undefined || isWithin(question.address, listOf(addresses.ranges))) return answer;
  if (question.anyAddress === true && ownsTopLevel(answer, question)) return answer;
  return { ...answer, access: undefined, movedTo: 0, isOutside: true };
}

/** An answer; `isOutside` where the target is closed to the address and may be open to others. */
type AddressedResponse = ResolveResponse & { readonly isOutside?: true };

/** Whether the target that an answer is about is closed to the address of the question. */
export const isOutside = (answer: AddressedResponse): boolean => answer.isOutside === true;

/**
 * A resolver that keeps to `ip_restriction_ranges` (G-4.15-6), the one place that does: the API, git and event streams
 * all ask it. It stands over the cache, whose answers serve callers of every address.
 */
export const restrictAddresses = (access: AccessResolver): Pick<AccessResolver, 'resolve' | 'again'> => ({
  async resolve(question, requestId, options) {
    const { answer, fresh } = await access.resolve(question, requestId, options);
    return { answer: forAddress(answer, question), fresh };
  },
  again: async (question) => forAddress(await access.again(question), question),
});
