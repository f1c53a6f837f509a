/** A token as its rotation finds it, locked. */
export interface RotatedToken {
  readonly revoked: boolean;
  /** Whether an earlier rotation has replaced it. */
  readonly replaced: boolean;
}

/**
 * What the rotation of a token does. One that was replaced and is rotated again may be in the hands of two: where
 * `revokesFamily`, all tokens of its family are revoked (G-4.5-12). Otherwise it is refused (G-4.5-7), like one that was
 * revoked by hand.
 */
export function decideRotation(
  { revoked, replaced }: RotatedToken,
  revokesFamily: boolean,
): 'replace' | 'revoke_family' | 'refuse' {
  if (!revoked) return 'replace';
  return replaced && revokesFamily ? 'revoke_family' : 'refuse';
}
