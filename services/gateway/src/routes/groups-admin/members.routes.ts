import {
  MemberServiceService,
  ListUserMembershipsRequest_SourceType as SourceType,
} from '@switchyard/protos/groups_admin/v1/member';
import { exactlyOne } from '../../http/check-parameters';
import {
  boolean,
  csv,
  date,
  integer,
  integers,
  nullable,
  oneOf,
  oneOfIntegers,
  onlyDefault,
  text,
} from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { memberLevels } from './access-levels';
import { type ParentKind, parentOf } from './parents';

const filters = {
  query: text().optional(),
  user_ids: integers().optional(),
  skip_users: integers().optional(),
  // No member is ever `awaiting`.
  state: onlyDefault(oneOf('awaiting', 'active'), 'active').optional(),
};
/** Levels of members (G-5-14). */
export const accessLevel = () => oneOfIntegers(...memberLevels);
const user = { user_id: integer() };

/** Members of groups and of projects are one resource on two paths. */
const memberRoutesOf = (kind: ParentKind): Route[] => {
  const root = `/${kind}s/:id/members`;
  const read = kind === 'group' ? ({ group: 'read_group_member' } as const) : ({ project: 'read_member' } as const);
  const administer =
    kind === 'group' ? ({ group: 'admin_group_member' } as const) : ({ project: 'admin_project_member' } as const);
  // Every reader may leave. The service decides whom else a caller may remove.
  const remove = kind === 'group' ? ({ group: 'leave_group' } as const) : ({ project: 'leave_project' } as const);
  return [
    ...[false, true].map((inherited) =>
      defineRoute({
        method: 'get',
        path: inherited ? `${root}/all` : root,
        section: 'Members',
        summary: inherited ? `List the members of a ${kind} with inherited ones` : `List the members of a ${kind}`,
        access: read,
        params: filters,
        list: {},
        returns: { 200: ['Member'] },
        handle: ({ params, access, page, call }) =>
          call(MemberServiceService).listMembers({
            source: parentOf(kind, access),
            page,
            query: params.query ?? '',
            userIds: params.user_ids ?? [],
            skipUserIds: params.skip_users ?? [],
            inherited,
          }),
      }),
    ),
    ...[false, true].map((inherited) =>
      defineRoute({
        method: 'get',
        path: inherited ? `${root}/all/:user_id` : `${root}/:user_id`,
        section: 'Members',
        summary: inherited ? `Get a member of a ${kind}, inherited ones as well` : `Get a member of a ${kind}`,
        access: read,
        path_params: user,
        returns: { 200: 'Member' },
        handle: ({ path, access, call }) =>
          call(MemberServiceService).getMember({ source: parentOf(kind, access), userId: path.user_id, inherited }),
      }),
    ),
    defineRoute({
      method: 'post',
      path: root,
      section: 'Members',
      summary: `Add members to a ${kind}`,
      docs: {
        description: 'Add users as members, by id or by user name.',
        fails: [405, 409],
        example: { user_id: [5], access_level: 30 },
      },
      access: administer,
      params: {
        user_id: integers().optional(),
        username: csv().optional(),
        access_level: accessLevel(),
        expires_at: nullable(date()).optional(),
      },
      relations: [exactlyOne('user_id', 'username')],
      returns: { 201: 'AddedMembers' },
      handle: ({ params, access, call }) =>
        call(MemberServiceService).addMembers({
          source: parentOf(kind, access),
          userIds: params.user_id ?? [],
          usernames: params.username ?? [],
          accessLevel: params.access_level,
          expiresAt: params.expires_at ?? '',
        }),
    }),
    defineRoute({
      method: 'put',
      path: `${root}/:user_id`,
      section: 'Members',
      summary: `Change a member of a ${kind}`,
      access: administer,
      path_params: user,
      params: { access_level: accessLevel(), expires_at: nullable(date()).optional() },
      returns: { 200: 'Member' },
      handle: ({ params, path, access, call }) =>
        call(MemberServiceService).updateMember({
          source: parentOf(kind, access),
          userId: path.user_id,
          accessLevel: params.access_level,
          expiresAt: params.expires_at === null ? '' : params.expires_at,
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:user_id`,
      section: 'Members',
      summary: `Remove a member of a ${kind}`,
      docs: { description: 'Remove a member. Everyone may remove themselves; the last owner of a group stays.' },
      access: remove,
      path_params: user,
      params: { skip_subresources: boolean().optional(), unassign_issuables: onlyDefault(boolean(), false).optional() },
      returns: { 204: undefined },
      handle: ({ params, path, access, call }) =>
        call(MemberServiceService).removeMember({
          source: parentOf(kind, access),
          userId: path.user_id,
          skipSubresources: params.skip_subresources ?? false,
        }),
    }),
  ];
};

const sourceTypes = { Project: SourceType.SOURCE_TYPE_PROJECT, Namespace: SourceType.SOURCE_TYPE_NAMESPACE };

export const memberRoutes = [
  ...memberRoutesOf('group'),
  ...memberRoutesOf('project'),
  defineRoute({
    method: 'get',
    path: '/users/:id/memberships',
    section: 'Members',
    summary: 'List the memberships of a user',
    docs: { description: 'List the groups and projects that a user is a direct member of.' },
    access: 'admin',
    path_params: { id: integer() },
    params: { type: oneOf('Project', 'Namespace').optional() },
    list: {},
    returns: { 200: ['UserMembership'] },
    handle: ({ path, params, page, call }) =>
      call(MemberServiceService).listUserMemberships({
        userId: path.id,
        type: params.type === undefined ? SourceType.SOURCE_TYPE_UNSPECIFIED : sourceTypes[params.type],
        page,
      }),
  }),
];
