import { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import { boolean, documented, integer, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { mailAddress } from '../field-facts';
import { namedId } from './named-id';

const email = { email_id: integer() };
const user = { id: integer() };

const description =
  'Add an e-mail. It counts once it is confirmed, by a link in a mail to it that is good for three days. The primary e-mail is not among the e-mails of a user.';

/** E-mails of users in addition to the primary one (G §10 Users). */
export const userEmailRoutes = [
  defineRoute({
    method: 'get',
    path: '/user/emails',
    section: 'Users',
    summary: 'List the e-mails of the current user',
    access: 'user',
    scopes: ['read_user'],
    list: {},
    returns: { 200: ['Email'] },
    handle: ({ page, call }) => call(UserEmailServiceService).listUserEmails({ page, userId: 0 }),
  }),
  defineRoute({
    method: 'post',
    path: '/user/emails',
    section: 'Users',
    summary: 'Add an e-mail to the current user',
    docs: { description, example: { email: 'ada@example.org' } },
    access: 'user',
    limit: 'emails',
    params: { email: documented(text(), mailAddress) },
    returns: { 201: 'Email' },
    handle: ({ params, call }) =>
      call(UserEmailServiceService).addUserEmail({ userId: 0, email: params.email, skipConfirmation: false }),
  }),
  defineRoute({
    method: 'get',
    path: '/user/emails/:email_id',
    section: 'Users',
    summary: 'Get an e-mail of the current user',
    access: 'user',
    scopes: ['read_user'],
    path_params: email,
    returns: { 200: 'Email' },
    handle: ({ path, call }) => call(UserEmailServiceService).getUserEmail({ userId: 0, emailId: path.email_id }),
  }),
  defineRoute({
    method: 'delete',
    path: '/user/emails/:email_id',
    section: 'Users',
    summary: 'Delete an e-mail of the current user',
    docs: { fails: [412] },
    access: 'user',
    path_params: email,
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(UserEmailServiceService).deleteUserEmail({
        userId: 0,
        emailId: path.email_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/users/:id/emails',
    section: 'Users',
    summary: 'List the e-mails of a user',
    access: 'admin',
    path_params: user,
    list: {},
    returns: { 200: ['Email'] },
    handle: ({ path, page, call }) =>
      call(UserEmailServiceService).listUserEmails({ page, userId: namedId(path.id, 'User') }),
  }),
  defineRoute({
    method: 'post',
    path: '/users/:id/emails',
    section: 'Users',
    summary: 'Add an e-mail to a user',
    docs: { description, example: { email: 'ada@example.org', skip_confirmation: true } },
    access: 'admin',
    path_params: user,
    params: { email: documented(text(), mailAddress), skip_confirmation: boolean().default(false) },
    returns: { 201: 'Email' },
    handle: ({ path, params, call }) =>
      call(UserEmailServiceService).addUserEmail({
        userId: namedId(path.id, 'User'),
        email: params.email,
        skipConfirmation: params.skip_confirmation,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: '/users/:id/emails/:email_id',
    section: 'Users',
    summary: 'Delete an e-mail of a user',
    docs: { fails: [412] },
    access: 'admin',
    path_params: { ...user, ...email },
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(UserEmailServiceService).deleteUserEmail({
        userId: namedId(path.id, 'User'),
        emailId: path.email_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
