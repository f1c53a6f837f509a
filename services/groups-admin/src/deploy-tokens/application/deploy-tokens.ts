import type { PageInfo, PageRequest } from '@switchyard/database';
import { forbidden, notFound } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { displayText } from '@switchyard/texts';
import type { Parent } from '../../parents';
import { refuse } from '../../rules';
import { generateToken, type TokenDigest } from '../../tokens';
import { type DeployTokenRecord, type DeployTokenRequest, deployTokenProblems } from '../domain/deploy-token';

/** Deploy tokens in the database. */
export interface DeployTokenStore {
  /** Of the instance, or of one project or group. */
  list(
    source: Parent | undefined,
    active: boolean | undefined,
    request: PageRequest,
  ): Promise<{ rows: DeployTokenRecord[]; page: PageInfo }>;
  /** A token of this very project or group; undefined when there is none. */
  find(source: Parent, tokenId: number): Promise<DeployTokenRecord | undefined>;
  /** Whether a user is the bot of an access token. */
  isBot(userId: number): Promise<boolean>;
  /** Returns the id; undefined when the project or group was purged. */
  create(
    token: DeployTokenRequest & { source: Parent; digest: Buffer; createdById: number },
  ): Promise<number | undefined>;
  /** False when there is none. @throws AppError precondition_failed when it changed after `unmodifiedSince` */
  remove(source: Parent, tokenId: number, unmodifiedSince?: Date): Promise<boolean>;
}

/** Deploy tokens of projects and groups. The gateway decides who may manage them. */
export function deployTokens(store: DeployTokenStore, digest: TokenDigest) {
  const get = async (source: Parent, tokenId: number): Promise<DeployTokenRecord> => {
    const token = await store.find(source, tokenId);
    if (token === undefined) throw notFound('Deploy Token');
    return token;
  };

  return {
    /** @throws AppError not_found */
    get,
    /** Tokens of one project or group. */
    list: (source: Parent, active: boolean | undefined, request: PageRequest) => store.list(source, active, request),

    /** Tokens of the instance. @throws AppError forbidden */
    async listAll(active: boolean | undefined, request: PageRequest, actor: Actor) {
      if (!actor.admin) throw forbidden();
      return store.list(undefined, active, request);
    },

    /**
     * A bot makes none: the deploy token would outlive its own.
     * @throws AppError forbidden for bots; invalid with texts by field; not_found
     */
    async create(
      source: Parent,
      request: DeployTokenRequest,
      actor: Actor,
    ): Promise<{ record: DeployTokenRecord; token: string }> {
      if (await store.isBot(actor.userId)) throw forbidden();
      refuse(deployTokenProblems(request, new Date()));
      const token = generateToken('deploy');
      const id = await store.create({
        ...request,
        name: displayText(request.name),
        source,
        digest: digest(token),
        createdById: actor.userId,
      });
      if (id === undefined) throw notFound(source.kind === 'group' ? 'Group' : 'Project');
      return { record: await get(source, id), token };
    },

    /** @throws AppError not_found, precondition_failed */
    async remove(source: Parent, tokenId: number, unmodifiedSince?: Date): Promise<void> {
      if (!(await store.remove(source, tokenId, unmodifiedSince))) throw notFound('Deploy Token');
    },
  };
}

/** Use cases of deploy tokens. */
export type DeployTokens = ReturnType<typeof deployTokens>;
