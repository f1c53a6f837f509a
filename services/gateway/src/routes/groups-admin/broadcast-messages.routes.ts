import {
  BroadcastMessageServiceService,
  type BroadcastMessageSettings,
} from '@switchyard/protos/groups_admin/v1/broadcast_message';
import type { z } from 'zod';
import { boolean, dateTime, documented, integer, manyOfIntegers, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, notBlank } from '../field-facts';
import { levelsFromGuest } from './access-levels';

const root = '/broadcast_messages';
const one = { id: integer() };

const settings = {
  starts_at: dateTime().optional(),
  ends_at: dateTime().optional(),
  font: documented(text(), { pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$' }).optional(),
  target_access_levels: manyOfIntegers(...levelsFromGuest).optional(),
  target_path: documented(text(), {
    ...atMost(255),
    description: 'Pages that show the message, with `*` for any characters; empty for all.',
  }).optional(),
  broadcast_type: oneOf('banner', 'notification').optional(),
  dismissable: boolean().optional(),
  theme: documented(
    oneOf('indigo', 'light-indigo', 'blue', 'light-blue', 'green', 'light-green', 'red', 'light-red', 'dark', 'light'),
    { description: 'Colours of a banner; a notification has `indigo`.' },
  ).optional(),
};

const message = documented(text(), notBlank(10_000));

type Sent = z.infer<z.ZodObject<typeof settings>> & { message?: string | undefined };

const settingsOf = (sent: Sent): BroadcastMessageSettings => ({
  message: sent.message,
  startsAt: sent.starts_at,
  endsAt: sent.ends_at,
  font: sent.font,
  targetAccessLevels: sent.target_access_levels && { levels: sent.target_access_levels },
  targetPath: sent.target_path,
  broadcastType: sent.broadcast_type,
  dismissable: sent.dismissable,
  theme: sent.theme,
});

/** Broadcast messages (api.md 4.13, G-4.13-1 … G-4.13-4). */
export const broadcastMessageRoutes = [
  defineRoute({
    method: 'get',
    path: root,
    section: 'Broadcast messages',
    summary: 'List broadcast messages',
    docs: { description: 'All messages, the newest first. Levels and path hide none: they say where it is shown.' },
    access: 'public',
    list: {},
    returns: { 200: ['BroadcastMessage'] },
    handle: ({ page, call }) => call(BroadcastMessageServiceService).listBroadcastMessages({ page }),
  }),
  defineRoute({
    method: 'get',
    path: `${root}/:id`,
    section: 'Broadcast messages',
    summary: 'Get a broadcast message',
    access: 'public',
    path_params: one,
    returns: { 200: 'BroadcastMessage' },
    handle: ({ path, call }) =>
      call(BroadcastMessageServiceService).getBroadcastMessage({ broadcastMessageId: path.id }),
  }),
  defineRoute({
    method: 'post',
    path: root,
    section: 'Broadcast messages',
    summary: 'Create a broadcast message',
    docs: { example: { message: 'Maintenance at noon', ends_at: '2030-01-01T13:00:00Z', theme: 'red' } },
    access: 'admin',
    params: { message, ...settings },
    returns: { 201: 'BroadcastMessage' },
    handle: ({ params, call }) =>
      call(BroadcastMessageServiceService).createBroadcastMessage({ settings: settingsOf(params) }),
  }),
  defineRoute({
    method: 'put',
    path: `${root}/:id`,
    section: 'Broadcast messages',
    summary: 'Change a broadcast message',
    docs: { example: { dismissable: true } },
    access: 'admin',
    path_params: one,
    params: { message: message.optional(), ...settings },
    returns: { 200: 'BroadcastMessage' },
    handle: ({ params, path, call }) =>
      call(BroadcastMessageServiceService).updateBroadcastMessage({
        broadcastMessageId: path.id,
        settings: settingsOf(params),
      }),
  }),
  defineRoute({
    method: 'delete',
    path: `${root}/:id`,
    section: 'Broadcast messages',
    summary: 'Delete a broadcast message',
    docs: { fails: [412] },
    access: 'admin',
    path_params: one,
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(BroadcastMessageServiceService).deleteBroadcastMessage({
        broadcastMessageId: path.id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
