import type { Tx } from '@switchyard/database';
import { usersByUsernames } from '@switchyard/directory';

/** Who a text mentions, where a fact has one. */
interface Mentioning {
  readonly kind: string;
  readonly mentions?: { readonly usernames: readonly string[]; readonly directlyAddressed: readonly string[] };
}

/** Ids of the users whom facts mention, whatever these may read; groups and `all` mention no one. */
export async function mentionedUsers(tx: Tx, facts: readonly Mentioning[]): Promise<number[]> {
  const names = facts.flatMap(({ mentions }) =>
    mentions === undefined ? [] : [...mentions.usernames, ...mentions.directlyAddressed],
  );
  if (names.length === 0) return [];
  const users = await usersByUsernames(tx, names);
  return [...users.values()].map(({ id }) => id);
}
