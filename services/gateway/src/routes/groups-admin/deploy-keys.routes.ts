import { DeployKeyServiceService } from '@switchyard/protos/groups_admin/v1/deploy_key';
import { boolean, dateTime, documented, integer, nullable, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, oneLine } from '../field-facts';

const root = '/projects/:id/deploy_keys' as const;
const one = `${root}/:key_id` as const;
const key = { key_id: integer() };

const newKey = {
  title: documented(text(), oneLine),
  key: documented(text(), atMost(5_000)),
  expires_at: nullable(dateTime()).optional(),
};

const example = {
  title: 'release machine',
  key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPaDce9XR1jU3J+/QgJFS5E22X8XnrCnuHMR9sXqjiVI release@example.com',
};

/** Deploy keys of projects and of the instance (G-4.10-3, G-4.10-4). */
export const deployKeyRoutes = [
  defineRoute({
    method: 'get',
    path: '/deploy_keys',
    section: 'Deploy keys',
    summary: 'List all deploy keys',
    access: 'admin',
    params: { public: boolean().optional() },
    list: {},
    returns: { 200: ['SharedDeployKey'] },
    handle: ({ params, page, call }) =>
      call(DeployKeyServiceService).listDeployKeys({ projectId: 0, public: params.public ?? false, page }),
  }),
  defineRoute({
    method: 'post',
    path: '/deploy_keys',
    section: 'Deploy keys',
    summary: 'Create a deploy key that every project may enable',
    docs: { example },
    access: 'admin',
    params: newKey,
    returns: { 201: 'SharedDeployKey' },
    handle: ({ params, call }) =>
      call(DeployKeyServiceService).createDeployKey({
        projectId: 0,
        title: params.title,
        key: params.key,
        canPush: false,
        expiresAt: params.expires_at ?? undefined,
      }),
  }),
  defineRoute({
    method: 'get',
    path: root,
    section: 'Deploy keys',
    summary: 'List the deploy keys of a project',
    access: { project: 'admin_project' },
    list: {},
    returns: { 200: ['DeployKey'] },
    handle: ({ access, page, call }) =>
      call(DeployKeyServiceService).listDeployKeys({ projectId: access.id, public: false, page }),
  }),
  defineRoute({
    method: 'get',
    path: one,
    section: 'Deploy keys',
    summary: 'Get a deploy key of a project',
    access: { project: 'admin_project' },
    path_params: key,
    returns: { 200: 'DeployKey' },
    handle: ({ access, path, call }) =>
      call(DeployKeyServiceService).getDeployKey({ projectId: access.id, keyId: path.key_id }),
  }),
  defineRoute({
    method: 'post',
    path: root,
    section: 'Deploy keys',
    summary: 'Add a deploy key to a project',
    docs: {
      description:
        'Add a deploy key. One that is public, or enabled in another project of which the caller is a Maintainer, is enabled here.',
      example: { ...example, can_push: true },
    },
    access: { project: 'admin_project' },
    params: { ...newKey, can_push: boolean().optional() },
    returns: { 201: 'DeployKey' },
    handle: ({ access, params, call }) =>
      call(DeployKeyServiceService).createDeployKey({
        projectId: access.id,
        title: params.title,
        key: params.key,
        canPush: params.can_push ?? false,
        expiresAt: params.expires_at ?? undefined,
      }),
  }),
  defineRoute({
    method: 'put',
    path: one,
    section: 'Deploy keys',
    summary: 'Change a deploy key',
    docs: { description: 'Change the title of a deploy key, and whether it may push to this project.' },
    access: { project: 'admin_project' },
    path_params: key,
    params: { title: documented(text(), oneLine).optional(), can_push: boolean().optional() },
    returns: { 200: 'DeployKey' },
    handle: ({ access, path, params, call }) =>
      call(DeployKeyServiceService).updateDeployKey({
        projectId: access.id,
        keyId: path.key_id,
        title: params.title,
        canPush: params.can_push,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${one}/enable`,
    section: 'Deploy keys',
    summary: 'Enable a deploy key of another project',
    access: { project: 'admin_project' },
    path_params: key,
    returns: { 201: 'DeployKey' },
    handle: ({ access, path, call }) =>
      call(DeployKeyServiceService).enableDeployKey({ projectId: access.id, keyId: path.key_id }),
  }),
  defineRoute({
    method: 'delete',
    path: one,
    section: 'Deploy keys',
    summary: 'Take a deploy key from a project',
    docs: {
      description: 'Take a deploy key from a project. One that is not public is deleted with its last project.',
      fails: [412],
    },
    access: { project: 'admin_project' },
    path_params: key,
    returns: { 204: undefined },
    handle: ({ access, path, unmodifiedSince, call }) =>
      call(DeployKeyServiceService).deleteDeployKey({
        projectId: access.id,
        keyId: path.key_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
