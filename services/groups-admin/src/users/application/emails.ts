import type { PageInfo, PageRequest } from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { note, refuse, taken } from '../../rules';
import { type CurrentSettings, emailRefusals } from '../../settings';
import {
  type AddedEmail,
  confirmationEnd,
  type EmailRow,
  invalidConfirmation,
  isWaiting,
  type LockedEmail,
  requireWaiting,
} from '../domain/email';
import { userProblems } from '../domain/user';
import type { ConfirmationTokens } from './confirmation-token';

/** E-mails in the database. Rows that are to become the primary e-mail are not among those that are listed. */
export interface EmailStore {
  hasUser(userId: number): Promise<boolean>;
  list(userId: number, request: PageRequest): Promise<{ rows: EmailRow[]; page: PageInfo }>;
  find(userId: number, emailId: number): Promise<EmailRow | undefined>;
  /** Adds an address, with the event that asks for its confirmation unless it needs none. */
  add(userId: number, email: string, options: { confirmed: boolean; actorId: number; at: Date }): Promise<AddedEmail>;
  /**
   * Removes an address, also as the public one and that of commits; false when there is none.
   * @throws AppError precondition_failed when it changed after `unmodifiedSince`
   */
  remove(userId: number, emailId: number, unmodifiedSince: Date | undefined): Promise<boolean>;
  /** The address to be confirmed; undefined when there is none. */
  waiting(emailId: number): Promise<LockedEmail | undefined>;
  /**
   * Locks an address with its user, lets `check` refuse, and confirms it; undefined when there is none.
   * @throws AppError bad_request when another user has it by now; what `check` throws
   */
  confirm(emailId: number, at: Date, check: (email: LockedEmail) => void): Promise<string | undefined>;
}

/** A mail that asks for a confirmation. */
export interface ConfirmationMail {
  readonly address: string;
  /** Holds a secret. */
  readonly link: string;
  readonly expiresAt: Date;
}

/** Builds the use cases of e-mails; 0 means the actor. The gateway decides who may name another user. */
export function emails(
  store: EmailStore,
  {
    tokens,
    settings,
    externalUrl,
    clock,
  }: { tokens: ConfirmationTokens; settings: CurrentSettings; externalUrl: string; clock: () => Date },
) {
  const ownerOf = async (userId: number, actor: Actor): Promise<number> => {
    if (userId === 0) return actor.userId;
    if (!(await store.hasUser(userId))) throw notFound('User');
    return userId;
  };
  const get = async (userId: number, emailId: number, actor: Actor): Promise<EmailRow> => {
    const email = await store.find(await ownerOf(userId, actor), emailId);
    if (email === undefined) throw notFound('Email');
    return email;
  };

  return {
    get,

    list: async (userId: number, request: PageRequest, actor: Actor) =>
      store.list(await ownerOf(userId, actor), request),

    async add(userId: number, email: string, { confirmed }: { confirmed: boolean }, actor: Actor): Promise<EmailRow> {
      const problems = userProblems({ email });
      note(problems, 'email', emailRefusals(email, await settings()));
      refuse(problems);
      const owner = await ownerOf(userId, actor);
      const options = { confirmed: confirmed && actor.admin, actorId: actor.userId, at: clock() };
      const added = await store.add(owner, email, options);
      if (added === 'no_user') throw notFound('User');
      if (added === 'taken') throw invalid({ email: [taken] });
      return get(userId, added.id, actor);
    },

    async remove(userId: number, emailId: number, unmodifiedSince: Date | undefined, actor: Actor): Promise<void> {
      if (!(await store.remove(await ownerOf(userId, actor), emailId, unmodifiedSince))) throw notFound('Email');
    },

    /** Confirms the address that a link is for; returns it. */
    async confirm(token: string): Promise<string> {
      const emailId = tokens.emailId(token);
      if (emailId === undefined) throw invalidConfirmation();
      const address = await store.confirm(emailId, clock(), (email) => {
        if (!tokens.isOf(token, email)) throw invalidConfirmation();
        requireWaiting(email, clock());
      });
      if (address === undefined) throw invalidConfirmation();
      return address;
    },

    /** What the mail contains. */
    async confirmationMail(emailId: number): Promise<ConfirmationMail> {
      const email = await store.waiting(emailId);
      if (email === undefined || email.confirmation_sent_at === null || !isWaiting(email, clock()))
        throw notFound('Email');
      return {
        address: email.email,
        link: `${externalUrl}/-/confirmation?token=${tokens.sign(email)}`,
        expiresAt: confirmationEnd(email.confirmation_sent_at),
      };
    },
  };
}

/** What `emails` gives. */
export type Emails = ReturnType<typeof emails>;
