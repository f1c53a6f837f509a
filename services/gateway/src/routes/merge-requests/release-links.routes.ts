import type { NewReleaseLink } from '@switchyard/protos/merge_requests/v1/release';
import { ReleaseServiceService } from '@switchyard/protos/merge_requests/v1/release';
import { atLeastOne, mutuallyExclusive } from '../../http/check-parameters';
import { documented, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { notBlank } from '../field-facts';

const path = '/projects/:id/releases/:tag_name/assets/links' as const;
const linkPath = `${path}/:link_id` as const;
const tag = { tag_name: text() };
const link = { ...tag, link_id: integer() };

const name = documented(text({ notEmpty: true }), notBlank(255));
const url = documented(text({ notEmpty: true }), {
  maxLength: 2_048,
  pattern: '^([Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://[^\\s\\u0000]+$',
});
const assetPath = documented(text(), {
  maxLength: 128,
  pattern: '^$|^/([A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*/)*[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$',
  description: 'Path of the permanent address; empty for none.',
});
const more = {
  filepath: assetPath.optional(),
  direct_asset_path: assetPath.optional(),
  link_type: oneOf('other', 'runbook', 'image', 'package').optional(),
};

/** A link of a release; `filepath` is the older name of `direct_asset_path`. */
export const linkFields = { name, url, ...more };

/** The link as the service takes it. */
export const linkOf = (sent: {
  name: string;
  url: string;
  filepath?: string | undefined;
  direct_asset_path?: string | undefined;
  link_type?: string | undefined;
}): NewReleaseLink => ({
  name: sent.name,
  url: sent.url,
  path: sent.direct_asset_path ?? sent.filepath ?? '',
  linkType: sent.link_type ?? 'other',
});

const onePath = mutuallyExclusive('filepath', 'direct_asset_path');

/** Links of releases (G §10). */
export const releaseLinkRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Releases',
    summary: 'List links of a release',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: tag,
    // One order, the newest first.
    list: { orderBy: [] },
    returns: { 200: ['ReleaseLink'] },
    handle: ({ path: { tag_name }, access, page, call }) =>
      call(ReleaseServiceService).listReleaseLinks({ projectId: access.id, tagName: tag_name, page }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Releases',
    summary: 'Create a link of a release',
    docs: { example: { name: 'Binary for Linux', url: 'https://example.com/app', direct_asset_path: '/bin/app' } },
    access: { project: 'push_code' },
    tokens: ['job'],
    path_params: tag,
    params: linkFields,
    relations: [onePath],
    returns: { 201: 'ReleaseLink' },
    handle: ({ path: { tag_name }, params, access, call }) =>
      call(ReleaseServiceService).createReleaseLink({
        projectId: access.id,
        tagName: tag_name,
        link: linkOf(params),
      }),
  }),
  defineRoute({
    method: 'get',
    path: linkPath,
    section: 'Releases',
    summary: 'Get a link of a release',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: link,
    returns: { 200: 'ReleaseLink' },
    handle: ({ path: { tag_name, link_id }, access, call }) =>
      call(ReleaseServiceService).getReleaseLink({ projectId: access.id, tagName: tag_name, linkId: link_id }),
  }),
  defineRoute({
    method: 'put',
    path: linkPath,
    section: 'Releases',
    summary: 'Update a link of a release',
    docs: { example: { link_type: 'package' } },
    access: { project: 'push_code' },
    tokens: ['job'],
    path_params: link,
    params: { name: name.optional(), url: url.optional(), ...more },
    relations: [onePath, atLeastOne('name', 'url', 'filepath', 'direct_asset_path', 'link_type')],
    returns: { 200: 'ReleaseLink' },
    handle: ({ path: { tag_name, link_id }, params, access, call }) =>
      call(ReleaseServiceService).updateReleaseLink({
        projectId: access.id,
        tagName: tag_name,
        linkId: link_id,
        name: params.name,
        url: params.url,
        path: params.direct_asset_path ?? params.filepath,
        linkType: params.link_type,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: linkPath,
    section: 'Releases',
    summary: 'Delete a link of a release',
    docs: { fails: [412] },
    access: { project: 'push_code' },
    tokens: ['job'],
    path_params: link,
    returns: { 200: 'ReleaseLink' },
    handle: ({ path: { tag_name, link_id }, access, unmodifiedSince, call }) =>
      call(ReleaseServiceService).deleteReleaseLink({
        projectId: access.id,
        tagName: tag_name,
        linkId: link_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
