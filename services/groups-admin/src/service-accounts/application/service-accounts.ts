import { randomBytes } from 'node:crypto';
import type { PageInfo, PageRequest } from '@switchyard/database';
import { AppError, badRequest, forbidden, isAppError, notFound } from '@switchyard/errors';
import type { Access, Actor } from '@switchyard/protos/rpc/v1/identity';
import { noreplyAddress } from '../../rules';
import type { PersonalAccessTokens, TokenFilter, TokenRequest } from '../../tokens';
import type { AccountFields, AccountUsers } from '../../users';
import {
  type AccountFacts,
  type AccountOwner,
  defaultName,
  generatedUsername,
  isOf,
  requireAccount,
  type ServiceAccountRow,
  sentencesOf,
} from '../domain/service-account';

/** Service accounts as they are read. Those that are being deleted are left out. */
export interface ServiceAccountStore {
  list(owner: AccountOwner, request: PageRequest): Promise<{ rows: ServiceAccountRow[]; page: PageInfo }>;
  /** A user of any type. */
  find(userId: number): Promise<AccountFacts | undefined>;
  /** Whether a group is a top-level one. */
  isTopLevel(groupId: number): Promise<boolean>;
}

/** What service accounts need. */
export interface ServiceAccountEdges {
  readonly store: ServiceAccountStore;
  readonly users: AccountUsers;
  readonly tokens: PersonalAccessTokens;
  /** Host of the installation, for generated e-mails. */
  readonly host: string;
  /** Whether Owners of top-level groups may have accounts, in addition to administrators (G-13-12). */
  readonly ownersMayCreate: () => Promise<boolean>;
}

/** Who calls, and about which group. */
export interface AccountCaller {
  readonly actor: Actor;
  readonly access: Access | undefined;
}

const refuseAll = (sentences: readonly string[]): void => {
  if (sentences.length > 0) throw badRequest(sentences.join(' and '));
};

/** A conflict that was found by the index, as this endpoint says it. */
function asBadRequest(error: unknown): never {
  throw isAppError(error, 'conflict') ? badRequest(String(error.body.message)) : error;
}

/** Builds the use cases of service accounts; see `ServiceAccountService` for their failures. */
export function serviceAccounts({ store, users, tokens, host, ownersMayCreate }: ServiceAccountEdges) {
  /** @throws AppError forbidden */
  async function requireGate(owner: AccountOwner, { actor }: AccountCaller): Promise<void> {
    if (owner === 'instance') {
      if (!actor.admin) throw forbidden();
      return;
    }
    if (!actor.admin && !(await ownersMayCreate())) throw forbidden();
    if (!(await store.isTopLevel(owner.groupId))) throw forbidden();
  }

  async function find(owner: AccountOwner, userId: number, caller: AccountCaller): Promise<AccountFacts> {
    await requireGate(owner, caller);
    const user = await store.find(userId);
    if (user === undefined) throw notFound('User');
    requireAccount(user);
    if (!isOf(owner, user)) throw notFound('User');
    return user;
  }

  async function shown(userId: number): Promise<ServiceAccountRow> {
    const user = await store.find(userId);
    if (user === undefined) throw notFound('User');
    return user;
  }

  /** The tokens' use cases let administrators alone act for others; here the right to manage the account was checked. */
  const asManager = (actor: Actor): Actor => ({ ...actor, admin: true });

  async function findToken(
    owner: AccountOwner,
    userId: number,
    tokenId: number,
    caller: AccountCaller,
    none: AppError,
  ) {
    const account = await find(owner, userId, caller);
    const token = await tokens.get(tokenId, asManager(caller.actor)).catch((error: unknown) => {
      throw isAppError(error, 'not_found') ? none : error;
    });
    if (token.user_id !== account.id) throw none;
    return token;
  }

  return {
    async list(owner: AccountOwner, request: PageRequest, caller: AccountCaller) {
      await requireGate(owner, caller);
      return store.list(owner, request);
    },

    async create(owner: AccountOwner, fields: AccountFields, caller: AccountCaller): Promise<ServiceAccountRow> {
      if (owner !== 'instance' && !(await store.isTopLevel(owner.groupId)))
        throw badRequest('User does not have permission to create a service account in this group.');
      await requireGate(owner, caller);
      const username = fields.username ?? generatedUsername(owner, randomBytes(16).toString('hex'));
      const email = fields.email ?? noreplyAddress(username, host);
      const account = { name: fields.name ?? defaultName, username, email };
      refuseAll(sentencesOf(await users.problems(account, 0, fields.email)));
      const groupId = owner === 'instance' ? undefined : owner.groupId;
      const isGenerated = fields.email === undefined;
      const id = await users.create({ ...account, confirmed: isGenerated, groupId }, caller.actor).catch(asBadRequest);
      return shown(id);
    },

    async update(
      owner: AccountOwner,
      userId: number,
      fields: AccountFields,
      caller: AccountCaller,
    ): Promise<ServiceAccountRow> {
      const account = await find(owner, userId, caller);
      refuseAll(sentencesOf(await users.problems(fields, account.id, fields.email)));
      await users.update(account.id, fields, caller.actor).catch(asBadRequest);
      return shown(account.id);
    },

    async remove(
      owner: AccountOwner,
      userId: number,
      options: { hard: boolean; unmodifiedSince: Date | undefined },
      caller: AccountCaller,
    ): Promise<void> {
      const account = await find(owner, userId, caller);
      await users.delete(account.id, caller.actor, options);
    },

    async listTokens(
      owner: AccountOwner,
      userId: number,
      filter: TokenFilter,
      request: PageRequest,
      caller: AccountCaller,
    ) {
      const account = await find(owner, userId, caller);
      return tokens.list({ ...filter, userId: account.id }, request, asManager(caller.actor));
    },

    async createToken(owner: AccountOwner, userId: number, request: TokenRequest, caller: AccountCaller) {
      const account = await find(owner, userId, caller);
      return tokens.create(account.id, request, asManager(caller.actor));
    },

    async rotateToken(
      owner: AccountOwner,
      userId: number,
      { tokenId, expiresAt }: { tokenId: number; expiresAt: string },
      caller: AccountCaller,
    ) {
      const token = await findToken(owner, userId, tokenId, caller, new AppError('not_found', '404 Not Found'));
      return tokens.rotate(token.id, expiresAt, asManager(caller.actor), { revokesFamily: false });
    },

    async revokeToken(
      owner: AccountOwner,
      userId: number,
      { tokenId, unmodifiedSince }: { tokenId: number; unmodifiedSince: Date | undefined },
      caller: AccountCaller,
    ): Promise<void> {
      const token = await findToken(owner, userId, tokenId, caller, notFound('Personal Access Token'));
      await tokens.revoke(token.id, asManager(caller.actor), unmodifiedSince);
    },
  };
}

/** What `serviceAccounts` gives. */
export type ServiceAccounts = ReturnType<typeof serviceAccounts>;
