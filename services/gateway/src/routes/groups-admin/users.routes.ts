import {
  ChangeUserStateRequest_Change as Change,
  UserServiceService,
  type UserSettings,
} from '@switchyard/protos/groups_admin/v1/user';
import type { z } from 'zod';
import { atLeastOne } from '../../http/check-parameters';
import { refuseDeepOffset } from '../../http/page';
import { boolean, dateTime, documented, forAdministrators, integer, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, mailAddress, mailAddressOrNone, oneLine, pathPart } from '../field-facts';
import { avatar, avatarChange } from './avatars.routes';
import { listedCustomAttributes, shownCustomAttributes } from './custom-attributes.routes';

const user = { id: integer() };

const settings = {
  admin: boolean().optional(),
  bio: documented(text(), atMost(255)).optional(),
  can_create_group: boolean().optional(),
  color_scheme_id: integer({ min: 1, max: 1_000 }).optional(),
  commit_email: documented(text(), mailAddressOrNone).optional(),
  discord: documented(text(), atMost(255)).optional(),
  external: boolean().optional(),
  extra_shared_runners_minutes_limit: integer({ min: 0, max: 2_147_483_647 }).optional(),
  github: documented(text(), atMost(255)).optional(),
  job_title: documented(text(), atMost(255)).optional(),
  linkedin: documented(text(), atMost(255)).optional(),
  location: documented(text(), atMost(255)).optional(),
  note: text().optional(),
  organization: documented(text(), atMost(255)).optional(),
  password: documented(text(), { maxLength: 128 }).optional(),
  private_profile: boolean().optional(),
  projects_limit: integer({ min: 0, max: 2_147_483_647 }).optional(),
  pronouns: documented(text(), atMost(255)).optional(),
  public_email: documented(text(), mailAddressOrNone).optional(),
  shared_runners_minutes_limit: integer({ min: 0, max: 2_147_483_647 }).optional(),
  skype: documented(text(), atMost(255)).optional(),
  theme_id: integer({ min: 1, max: 1_000 }).optional(),
  twitter: documented(text(), atMost(255)).optional(),
  website_url: documented(text(), atMost(255)).optional(),
  avatar: avatar(),
};

type Sent = z.infer<z.ZodObject<typeof settings>> & { email?: string; name?: string; username?: string };

const settingsOf = (sent: Sent): UserSettings => ({
  email: sent.email,
  name: sent.name,
  username: sent.username,
  password: sent.password,
  admin: sent.admin,
  external: sent.external,
  projectsLimit: sent.projects_limit,
  canCreateGroup: sent.can_create_group,
  privateProfile: sent.private_profile,
  bio: sent.bio,
  location: sent.location,
  skype: sent.skype,
  linkedin: sent.linkedin,
  twitter: sent.twitter,
  discord: sent.discord,
  github: sent.github,
  websiteUrl: sent.website_url,
  organization: sent.organization,
  jobTitle: sent.job_title,
  pronouns: sent.pronouns,
  publicEmail: sent.public_email,
  commitEmail: sent.commit_email,
  note: sent.note,
  themeId: sent.theme_id,
  colorSchemeId: sent.color_scheme_id,
  sharedRunnersMinutesLimit: sent.shared_runners_minutes_limit,
  extraSharedRunnersMinutesLimit: sent.extra_shared_runners_minutes_limit,
  avatar: avatarChange(sent.avatar),
});

const stateRoute = (verb: 'block' | 'unblock' | 'activate' | 'deactivate', change: Change) =>
  defineRoute({
    method: 'post',
    path: `/users/:id/${verb}`,
    section: 'Users',
    summary: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} a user`,
    access: 'admin',
    path_params: user,
    returns: { 201: 'UserStateChanged' },
    handle: ({ path, call }) => call(UserServiceService).changeUserState({ userId: path.id, change }),
  });

/** Users (G §10 Users). */
export const userRoutes = [
  defineRoute({
    method: 'get',
    path: '/user',
    section: 'Users',
    summary: 'Get the current user',
    access: 'user',
    scopes: ['read_user'],
    returns: { 200: 'CurrentUser' },
    handle: ({ call }) => call(UserServiceService).getCurrentUser({}),
  }),
  defineRoute({
    method: 'get',
    path: '/users',
    section: 'Users',
    summary: 'List users',
    docs: { fails: [405] },
    access: 'public',
    scopes: ['read_user'],
    params: {
      username: text().optional(),
      search: text().optional(),
      active: boolean().default(false),
      blocked: boolean().default(false),
      external: forAdministrators(boolean().default(false)),
      exclude_external: boolean().default(false),
      humans: boolean().default(false),
      exclude_humans: boolean().default(false),
      exclude_active: boolean().default(false),
      exclude_internal: boolean().default(false),
      admins: forAdministrators(boolean().default(false)),
      created_after: forAdministrators(dateTime().optional()),
      created_before: forAdministrators(dateTime().optional()),
      without_project_bots: boolean().default(false),
      without_projects: forAdministrators(boolean().default(false)),
      ...listedCustomAttributes,
    },
    list: { orderBy: ['id', 'name', 'username', 'created_at', 'updated_at'], sort: 'desc' },
    returns: { 200: ['ListedUser'] },
    handle: ({ params, page, call }) => {
      refuseDeepOffset(page, 'User');
      return call(UserServiceService).listUsers({
        page,
        username: params.username ?? '',
        search: params.search ?? '',
        active: params.active,
        blocked: params.blocked,
        external: params.external,
        excludeExternal: params.exclude_external,
        humans: params.humans,
        excludeHumans: params.exclude_humans,
        excludeActive: params.exclude_active,
        excludeInternal: params.exclude_internal,
        admins: params.admins,
        createdAfter: params.created_after,
        createdBefore: params.created_before,
        withoutProjectBots: params.without_project_bots,
        withoutProjects: params.without_projects,
        withCustomAttributes: params.with_custom_attributes,
        customAttributes: params.custom_attributes && { values: params.custom_attributes },
      });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/users',
    section: 'Users',
    summary: 'Create a user',
    docs: {
      fails: [409],
      example: { email: 'ada@example.com', name: 'Ada Lovelace', username: 'ada', force_random_password: true },
    },
    access: 'admin',
    params: {
      ...settings,
      email: documented(text(), mailAddress),
      name: documented(text(), oneLine),
      username: documented(text(), pathPart),
      force_random_password: boolean().default(false),
      reset_password: boolean().default(false),
      skip_confirmation: boolean().default(false),
    },
    relations: [atLeastOne('password', 'reset_password', 'force_random_password')],
    returns: { 201: 'User' },
    handle: ({ params, call }) => {
      const randomPassword = params.force_random_password || params.reset_password;
      return call(UserServiceService).createUser({
        settings: settingsOf(randomPassword ? { ...params, password: undefined } : params),
        randomPassword,
        skipConfirmation: params.skip_confirmation,
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/users/:id',
    section: 'Users',
    summary: 'Get a user',
    access: 'public',
    scopes: ['read_user'],
    path_params: user,
    params: shownCustomAttributes,
    limit: 'user',
    returns: { 200: 'User' },
    handle: ({ path, params, call }) =>
      call(UserServiceService).getUser({ userId: path.id, withCustomAttributes: params.with_custom_attributes }),
  }),
  defineRoute({
    method: 'put',
    path: '/users/:id',
    section: 'Users',
    summary: 'Change a user',
    docs: {
      description:
        'Change a user. A new `email` waits until it is confirmed, by a link in a mail, unless `skip_reconfirmation` is on.',
      fails: [409],
      example: { name: 'Ada Lovelace' },
    },
    access: 'admin',
    path_params: user,
    params: {
      ...settings,
      email: documented(text(), mailAddress).optional(),
      skip_reconfirmation: boolean().default(false),
      name: documented(text(), oneLine).optional(),
      username: documented(text(), pathPart).optional(),
    },
    returns: { 200: 'User' },
    handle: ({ path, params, call }) =>
      call(UserServiceService).updateUser({
        userId: path.id,
        settings: settingsOf(params),
        skipReconfirmation: params.skip_reconfirmation,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: '/users/:id',
    section: 'Users',
    summary: 'Delete a user; the ghost user stands in for their contributions',
    docs: {
      description:
        'Delete a user. The ghost user stands in for what they wrote. With `hard_delete` what they wrote is deleted as well, and groups that they alone own: the user is blocked at once, the rest follows in the background.',
      fails: [409, 412],
    },
    access: 'admin',
    path_params: user,
    params: { hard_delete: boolean().default(false) },
    returns: { 204: undefined },
    handle: ({ path, params, unmodifiedSince, call }) =>
      call(UserServiceService).deleteUser({
        userId: path.id,
        ifUnmodifiedSince: unmodifiedSince,
        hardDelete: params.hard_delete,
      }),
  }),
  stateRoute('block', Change.CHANGE_BLOCK),
  stateRoute('unblock', Change.CHANGE_UNBLOCK),
  stateRoute('activate', Change.CHANGE_ACTIVATE),
  stateRoute('deactivate', Change.CHANGE_DEACTIVATE),
];
