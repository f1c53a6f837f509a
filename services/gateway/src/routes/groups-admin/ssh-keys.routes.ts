import { SshKeyServiceService } from '@switchyard/protos/groups_admin/v1/ssh_key';
import { dateTime, documented, integer, nullable, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, oneLine } from '../field-facts';

const key = { key_id: integer() };
/** Public reads name a user by id or username; the others by id. */
const named = { user_id: text() };
const numbered = { user_id: integer() };

const newKey = {
  title: documented(text(), oneLine),
  key: documented(text(), atMost(5_000)),
  expires_at: nullable(dateTime()).optional(),
  usage_type: oneOf('auth', 'signing', 'auth_and_signing').optional(),
};

const example = {
  title: 'laptop',
  key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPaDce9XR1jU3J+/QgJFS5E22X8XnrCnuHMR9sXqjiVI ada@example.com',
  expires_at: '2030-01-31T00:00:00Z',
};

/** SSH keys of users, and the look-up of a key (api.md 4.10, G-4.10-1, G-4.10-2, G-4.10-4). */
export const sshKeyRoutes = [
  defineRoute({
    method: 'get',
    path: '/user/keys',
    section: 'SSH keys',
    summary: 'List the SSH keys of the current user',
    access: 'user',
    list: {},
    returns: { 200: ['SshKey'] },
    handle: ({ actor, page, call }) => call(SshKeyServiceService).listSshKeys({ user: String(actor.userId), page }),
  }),
  defineRoute({
    method: 'get',
    path: '/user/keys/:key_id',
    section: 'SSH keys',
    summary: 'Get an SSH key of the current user',
    access: 'user',
    path_params: key,
    returns: { 200: 'SshKey' },
    handle: ({ actor, path, call }) =>
      call(SshKeyServiceService).getSshKey({ user: String(actor.userId), keyId: path.key_id }),
  }),
  defineRoute({
    method: 'post',
    path: '/user/keys',
    section: 'SSH keys',
    summary: 'Add an SSH key to the current user',
    docs: { example },
    access: 'user',
    params: newKey,
    returns: { 201: 'SshKey' },
    handle: ({ actor, params, call }) =>
      call(SshKeyServiceService).createSshKey({ userId: actor.userId, ...toKey(params) }),
  }),
  defineRoute({
    method: 'delete',
    path: '/user/keys/:key_id',
    section: 'SSH keys',
    summary: 'Delete an SSH key of the current user',
    docs: { fails: [412] },
    access: 'user',
    path_params: key,
    returns: { 204: undefined },
    handle: ({ actor, path, unmodifiedSince, call }) =>
      call(SshKeyServiceService).deleteSshKey({
        userId: actor.userId,
        keyId: path.key_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/users/:user_id/keys',
    section: 'SSH keys',
    summary: 'List the SSH keys of a user',
    docs: { description: 'List the public keys of a user, who is named by id or username.' },
    access: 'public',
    path_params: named,
    list: {},
    returns: { 200: ['SshKey'] },
    handle: ({ path, page, call }) => call(SshKeyServiceService).listSshKeys({ user: path.user_id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/users/:user_id/keys/:key_id',
    section: 'SSH keys',
    summary: 'Get an SSH key of a user',
    access: 'public',
    path_params: { ...named, ...key },
    returns: { 200: 'SshKey' },
    handle: ({ path, call }) => call(SshKeyServiceService).getSshKey({ user: path.user_id, keyId: path.key_id }),
  }),
  defineRoute({
    method: 'post',
    path: '/users/:user_id/keys',
    section: 'SSH keys',
    summary: 'Add an SSH key to a user',
    docs: { example },
    access: 'admin',
    path_params: numbered,
    params: newKey,
    returns: { 201: 'SshKey' },
    handle: ({ path, params, call }) =>
      call(SshKeyServiceService).createSshKey({ userId: path.user_id, ...toKey(params) }),
  }),
  defineRoute({
    method: 'delete',
    path: '/users/:user_id/keys/:key_id',
    section: 'SSH keys',
    summary: 'Delete an SSH key of a user',
    docs: { fails: [412] },
    access: 'admin',
    path_params: { ...numbered, ...key },
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(SshKeyServiceService).deleteSshKey({
        userId: path.user_id,
        keyId: path.key_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/keys/:key_id',
    section: 'SSH keys',
    summary: 'Get a key with its user by the id of the key',
    access: 'admin',
    path_params: key,
    returns: { 200: 'FoundSshKey' },
    handle: ({ path, call }) =>
      call(SshKeyServiceService).lookUpSshKey({ name: { $case: 'keyId', value: path.key_id } }),
  }),
  defineRoute({
    method: 'get',
    path: '/keys',
    section: 'SSH keys',
    summary: 'Get a key with its user by the fingerprint of the key',
    docs: {
      description: 'Get a key of a user, or a deploy key, by its MD5 or SHA256 fingerprint.',
      example: { fingerprint: 'SHA256:4HveTLJn6eWeAKGclwVmd3a2x0fP5q0eOk6TpEikD7E' },
    },
    access: 'admin',
    params: { fingerprint: text({ notEmpty: true }) },
    returns: { 200: 'FoundSshKey' },
    handle: ({ params, call }) =>
      call(SshKeyServiceService).lookUpSshKey({ name: { $case: 'fingerprint', value: params.fingerprint } }),
  }),
];

function toKey(given: { title: string; key: string; expires_at?: Date | null; usage_type?: string }) {
  return {
    title: given.title,
    key: given.key,
    expiresAt: given.expires_at ?? undefined,
    usageType: given.usage_type ?? '',
  };
}
