/** A token as its rotation finds it, locked. */
export interface RotatedToken {
  readonly revoked: boolean;
  /** Whether an earlier rotation has replaced it. */
  readonly replaced: boolean;
}

/**
 * What the rotation of a token does. A token that was replaced and is presented again is in the hands of two: all tokens
 * of its family are revoked. One that was revoked by hand is refused.
 */
export function decideRotation({ revoked, replaced }: RotatedToken): 'replace' | 'revoke_family' | 'refuse' {
  if (!revoked) return 'replace';
  return replaced ? 'revoke_family' : 'refuse';
}
