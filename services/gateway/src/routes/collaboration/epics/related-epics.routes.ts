import { EpicTreeServiceService } from '@switchyard/protos/collaboration/v1/epic_tree';
import { integer, oneOf, text } from '../../../http/params';
import { alsoBelow, defineRoute } from '../../../http/route';
import { epicsHome } from './epics-home';

const path = `${epicsHome.path}/:epic_iid/related_epics` as const;
const epic = { epic_iid: integer() };
const shared = { section: 'Epics', tier: 'ultimate' } as const;

const refOf = (access: { id: number }, at: { epic_iid: number }) => ({ groupId: access.id, iid: at.epic_iid });

/** Epics that have to do with each other (gaps 4.18). */
export const relatedEpicRoutes = [
  defineRoute({
    ...shared,
    method: 'get',
    path,
    summary: 'List the related epics of an epic',
    access: { group: 'read_epic' },
    needsToken: true,
    path_params: epic,
    list: {},
    returns: { 200: ['RelatedEpic'] },
    handle: ({ path: at, access, page, call }) =>
      call(EpicTreeServiceService).listRelatedEpics({ epic: refOf(access, at), page }),
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path,
    summary: 'Relate an epic to another one',
    docs: {
      description: 'Link two epics, of the same group or of others. The caller must be able to change both.',
      example: { target_group_id: '12', target_epic_iid: 3, link_type: 'blocks' },
      fails: [400, 409],
    },
    access: { group: 'manage_epic' },
    path_params: epic,
    params: {
      target_group_id: text({ notEmpty: true }),
      target_epic_iid: integer({ min: 1 }),
      link_type: oneOf('relates_to', 'blocks', 'is_blocked_by').default('relates_to'),
    },
    returns: { 201: 'RelatedEpicLink' },
    handle: ({ params, path: at, access, call }) =>
      call(EpicTreeServiceService).linkRelatedEpic({
        epic: refOf(access, at),
        targetGroup: params.target_group_id,
        targetIid: params.target_epic_iid,
        linkType: params.link_type,
      }),
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: `${path}/:related_epic_link_id`,
    summary: 'Take the link of related epics away',
    docs: { description: 'Take a link of two epics away, by its id. The epics are kept.' },
    access: { group: 'manage_epic' },
    path_params: { ...epic, related_epic_link_id: integer() },
    returns: { 200: 'RelatedEpicLink' },
    handle: ({ path: at, access, call }) =>
      call(EpicTreeServiceService).unlinkRelatedEpic({ epic: refOf(access, at), linkId: at.related_epic_link_id }),
  }),
].map(alsoBelow(epicsHome));
