import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import {
  type BroadcastMessageChange,
  type BroadcastMessageContent,
  decideCreate,
  decideUpdate,
} from '../domain/broadcast-message';
import type { BroadcastMessageRow } from '../domain/broadcast-message-row';

/** Broadcast messages in the database; each change is one transaction. */
export interface BroadcastMessageStore {
  /** A page of messages by their id. */
  list(request: PageRequest): Promise<{ rows: BroadcastMessageRow[]; page: PageInfo }>;
  find(id: number): Promise<BroadcastMessageRow | undefined>;
  create(content: BroadcastMessageContent): Promise<BroadcastMessageRow>;
  /** Locks a message, decides and saves; undefined when there is none. @throws what `decide` throws */
  change(
    id: number,
    decide: (message: BroadcastMessageRow) => BroadcastMessageContent,
  ): Promise<BroadcastMessageRow | undefined>;
  /** False when there is none. @throws AppError precondition_failed when it changed after `unmodifiedSince` */
  remove(id: number, unmodifiedSince: Date | undefined): Promise<boolean>;
}

/** Messages of the administrators to all users (api.md 4.13). The gateway decides who changes them. */
export function manageBroadcastMessages({ messages, clock }: { messages: BroadcastMessageStore; clock: () => Date }) {
  const found = (message: BroadcastMessageRow | undefined): BroadcastMessageRow => {
    if (message === undefined) throw notFound();
    return message;
  };

  return {
    /** A page of messages. */
    list: (request: PageRequest): Promise<{ rows: BroadcastMessageRow[]; page: PageInfo }> => messages.list(request),

    /** @throws AppError not_found */
    get: async (id: number): Promise<BroadcastMessageRow> => found(await messages.find(id)),

    /** @throws AppError invalid */
    create: async (given: BroadcastMessageChange): Promise<BroadcastMessageRow> =>
      messages.create(decideCreate(given, clock())),

    /** @throws AppError not_found; invalid */
    update: async (id: number, change: BroadcastMessageChange): Promise<BroadcastMessageRow> =>
      found(await messages.change(id, (message) => decideUpdate(message, change))),

    /** @throws AppError not_found; precondition_failed */
    async remove(id: number, unmodifiedSince?: Date): Promise<void> {
      if (!(await messages.remove(id, unmodifiedSince))) throw notFound();
    },
  };
}

/** Use cases of broadcast messages. */
export type ManageBroadcastMessages = ReturnType<typeof manageBroadcastMessages>;
