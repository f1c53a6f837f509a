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
}

/** Which tokens (G-4.5-5). */
export interface TokenFilter {
  userId?: number;
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
}

/** The result of a rotation. */
export type Rotation = { replacement: number } | 'missing' | 'revoked' | 'reused';
