import {
  type AvatarChange,
  AvatarServiceService,
  type GetAvatarRequest,
} from '@switchyard/protos/groups_admin/v1/avatar';
import type { BoundClient } from '../../http/clients';
import { integer, type SmallFile, smallFile, text } from '../../http/params';
import { defineRoute, type Raw, type Route } from '../../http/route';

/** The avatar of a group, project, topic or user next to its other fields: a file of a multipart body, or blank. */
export const avatar = () => smallFile().optional();

/** A change of an avatar as requests of its owner carry it; undefined when none was sent. */
export const avatarChange = (sent: SmallFile | undefined): AvatarChange | undefined =>
  sent && { file: sent === 'none' ? undefined : { filename: sent.filename, content: sent.content } };

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** An avatar as a browser may show it: as a picture, whatever else its bytes could be. */
async function bytesOf(
  service: BoundClient<typeof AvatarServiceService>,
  owner: NonNullable<GetAvatarRequest['owner']>,
  named = '',
): Promise<Raw> {
  const { content, contentType, filename } = await service.getAvatar({ owner, filename: named });
  return {
    raw: content,
    contentType,
    headers: {
      'Content-Disposition': `inline; filename*=UTF-8''${encoded(filename)}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  };
}

const contentTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff', 'image/x-icon', 'image/bmp'];

export const avatarRoutes = [
  defineRoute({
    method: 'get',
    path: '/avatar',
    section: 'Avatars',
    summary: 'Find the avatar of a public e-mail',
    docs: { description: 'Get the address of the avatar of the user who shows this e-mail to all; null for none.' },
    access: 'public',
    params: { email: text({ notEmpty: true }) },
    returns: { 200: 'AvatarUrl' },
    handle: ({ params, call }) => call(AvatarServiceService).findAvatar({ email: params.email }),
  }),
  defineRoute({
    method: 'put',
    path: '/user/avatar',
    section: 'Avatars',
    summary: 'Set the avatar of the caller',
    docs: { description: 'Set the avatar of the caller; blank removes it.' },
    access: 'user',
    params: { avatar: smallFile() },
    returns: { 200: 'AvatarUrl' },
    handle: ({ params, call }) => call(AvatarServiceService).setOwnAvatar({ avatar: avatarChange(params.avatar) }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/avatar',
    section: 'Avatars',
    summary: 'Get the avatar of a project',
    docs: { contentTypes },
    access: { project: 'read_project' },
    returns: { 200: undefined },
    handle: ({ access, call }) => bytesOf(call(AvatarServiceService), { $case: 'projectId', value: access.id }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/avatar',
    section: 'Avatars',
    summary: 'Get the avatar of a group',
    docs: { contentTypes },
    access: { group: 'read_group' },
    returns: { 200: undefined },
    handle: ({ access, call }) => bytesOf(call(AvatarServiceService), { $case: 'groupId', value: access.id }),
  }),
];

const upload = { section: 'Avatars', docs: { contentTypes }, returns: { 200: undefined } } as const;
const path_params = { filename: text() };

/** The addresses in `avatar_url`; they are next to `/api/v4`, and not in the reference. */
export const avatarUploads: readonly Route[] = [
  defineRoute({
    ...upload,
    method: 'get',
    path: '/uploads/-/system/project/avatar/:id/:filename',
    summary: 'Show the avatar of a project',
    access: { project: 'read_project' },
    path_params,
    handle: ({ access, path, call }) =>
      bytesOf(call(AvatarServiceService), { $case: 'projectId', value: access.id }, path.filename),
  }),
  defineRoute({
    ...upload,
    method: 'get',
    path: '/uploads/-/system/group/avatar/:id/:filename',
    summary: 'Show the avatar of a group',
    access: { group: 'read_group' },
    path_params,
    handle: ({ access, path, call }) =>
      bytesOf(call(AvatarServiceService), { $case: 'groupId', value: access.id }, path.filename),
  }),
  defineRoute({
    ...upload,
    method: 'get',
    path: '/uploads/-/system/user/avatar/:user_id/:filename',
    summary: 'Show the avatar of a user',
    access: 'public',
    path_params: { ...path_params, user_id: integer({ min: 1 }) },
    handle: ({ path, call }) =>
      bytesOf(call(AvatarServiceService), { $case: 'userId', value: path.user_id }, path.filename),
  }),
  defineRoute({
    ...upload,
    method: 'get',
    path: '/uploads/-/system/projects/topic/avatar/:topic_id/:filename',
    summary: 'Show the avatar of a topic',
    access: 'public',
    path_params: { ...path_params, topic_id: integer({ min: 1 }) },
    handle: ({ path, call }) =>
      bytesOf(call(AvatarServiceService), { $case: 'topicId', value: path.topic_id }, path.filename),
  }),
];
