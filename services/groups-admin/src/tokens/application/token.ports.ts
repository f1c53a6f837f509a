import type { PageInfo, PageRequest } from '@switchyard/database';
import type {
  NewToken,
  Rotation,
  TokenFilter,
  TokenRecord,
  TokenReplacement,
} from '../domain/personal-access-token-row';

/** Tokens in the database. */
export interface TokenStore {
  /** A token; undefined when there is none. */
  find(tokenId: number): Promise<TokenRecord | undefined>;
  list(filter: TokenFilter, request: PageRequest): Promise<{ rows: TokenRecord[]; page: PageInfo }>;
  /** The user a token can be made for; undefined when there is none. */
  owner(userId: number): Promise<{ admin: boolean; userType: string } | undefined>;
  /** Stores a token; returns its id, or undefined when the user was deleted in the meantime. */
  create(token: NewToken): Promise<number | undefined>;
  /**
   * Revokes a token; a revoked one stays so. The membership of a bot follows its tokens.
   * @throws AppError precondition_failed when it changed after `unmodifiedSince`
   */
  revoke(tokenId: number, actorId: number, unmodifiedSince?: Date): Promise<void>;
  /**
   * Puts a new token in the place of one, which is revoked, in one transaction. One that was rotated before is
   * `reused`: every token of its chain is revoked then (G-4.5-12).
   */
  rotate(tokenId: number, actorId: number, replacement: TokenReplacement): Promise<Rotation>;
}
