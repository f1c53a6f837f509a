import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keys } from '@switchyard/secrets';
import type { SubjectType } from '../domain/notification-event';

/** What a link in a mail ends: the mail of a user about a subject. */
export interface Unsubscription {
  readonly userId: number;
  /** `Digest`: of everything, with ids of 0. */
  readonly type: SubjectType | 'Digest';
  readonly id: number;
  /** 0 where there is none. */
  readonly iid: number;
  /** 0 for none. */
  readonly projectId: number;
}

const types = ['Issue', 'MergeRequest', 'Commit', 'Snippet', 'Pipeline', 'Project', 'Epic', 'Digest'] as const;

const form = /^(\d{1,15})\.([A-Za-z]{4,12})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([A-Za-z0-9_-]{43})$/;

/**
 * Signs and reads the tokens of links that end mail. They do not expire: a mail may be old.
 * @param keys the first signs, and all are accepted
 */
export function unsubscribeTokens(keys: () => Keys) {
  const digest = (key: Buffer, payload: string): Buffer => createHmac('sha256', key).update(payload).digest();
  return {
    sign({ userId, type, id, iid, projectId }: Unsubscription): string {
      const payload = `${userId}.${type}.${id}.${iid}.${projectId}`;
      return `${payload}.${digest(keys()[0], payload).toString('base64url')}`;
    },

    /** What a token ends; undefined for one that was not signed here. */
    read(token: string): Unsubscription | undefined {
      const [, userId, type, id, iid, projectId, signature = ''] = form.exec(token) ?? [];
      const known = types.find((one) => one === type);
      if (known === undefined) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const isOf = (expected: Buffer): boolean => given.length === expected.length && timingSafeEqual(given, expected);
      const payload = `${userId}.${type}.${id}.${iid}.${projectId}`;
      if (!keys().some((key) => isOf(digest(key, payload)))) return undefined;
      return { userId: Number(userId), type: known, id: Number(id), iid: Number(iid), projectId: Number(projectId) };
    },
  };
}

/** What `unsubscribeTokens` gives. */
export type UnsubscribeTokens = ReturnType<typeof unsubscribeTokens>;
