/**
 * Whether a group or project lies in a tree that has licensed more than the tier `free` (G-13-16).
 * @param licensed undefined, or with null, where nothing of its own was licensed
 * @param tier of the instance
 */
export const isPaid = (licensed: { readonly tier: string | null } | undefined, tier: string): boolean =>
  (licensed?.tier ?? tier) !== 'free';
