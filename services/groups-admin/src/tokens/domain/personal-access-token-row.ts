/** A token as it is printed. */
export interface TokenRecord {
  id: number;
  user_id: number;
  name: string;
  description: string | null;
  scopes: string[];
  revoked: boolean;
  active: boolean;
  /** `YYYY-MM-DD`. */
  expires_at: string | null;
  last_used_at: Date | null;
  last_used_ips: string[];
  created_at: Date;
  kind: TokenKind;
}

/** Whose a token is, and who uses it: `bootstrap` is that of the installation, `resource` that of a bot. */
export type TokenKind = 'personal' | 'bootstrap' | 'impersonation' | 'resource';

/** Which tokens (G-4.5-5). */
export interface TokenFilter {
  userId?: number;
  /** Only tokens by which administrators act as the user, or none of them; undefined: both. */
  impersonation?: boolean;
  revoked?: boolean;
  state?: 'active' | 'inactive';
  search?: string;
  createdAfter?: Date;
  createdBefore?: Date;
  lastUsedAfter?: Date;
  lastUsedBefore?: Date;
  expiresAfter?: string;
  expiresBefore?: string;
}

/** A token to store. */
export interface NewToken {
  userId: number;
  name: string;
  description: string | undefined;
  scopes: string[];
  /** `YYYY-MM-DD`. */
  expiresAt: string;
  digest: Buffer;
  kind: 'personal' | 'impersonation';
}

/** What takes the place of a token. */
export interface TokenReplacement {
  readonly digest: Buffer;
  /** `YYYY-MM-DD`. */
  readonly expiresAt: string;
  /** Whether the rotation of a token that was replaced before revokes all tokens of its family (G-4.5-12). */
  readonly revokesFamily: boolean;
}

/** The result of a rotation. */
export type Rotation = { replacement: number } | 'missing' | 'revoked' | 'reused';
