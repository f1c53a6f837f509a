import { ReleaseServiceService } from '@switchyard/protos/merge_requests/v1/release';
import { atLeastOne, mutuallyExclusive } from '../../http/check-parameters';
import { boolean, dateTime, documented, hash, hashes, integers, text, texts } from '../../http/params';
import { defineRoute } from '../../http/route';
import { afterEpoch, atMost, longText, refName } from '../field-facts';
import { linkFields, linkOf } from './release-links.routes';

const path = '/projects/:id/releases' as const;
const releasePath = `${path}/:tag_name` as const;
const latestPath = `${path}/permalink/latest` as const;
const tag = { tag_name: text() };
const asset = { direct_asset_path: text() };

const fields = {
  name: documented(text(), { ...atMost(255), description: 'The name of the tag unless given.' }).optional(),
  description: documented(text(), longText).optional(),
  milestones: documented(texts(), { maxItems: 100, description: 'Exact titles.' }).optional(),
  milestone_ids: documented(integers(), { maxItems: 100 }).optional(),
  released_at: documented(dateTime(), {
    ...afterEpoch,
    description: 'When it is published; a release whose time lies ahead is upcoming.',
  }).optional(),
};

const milestonesOf = (params: { milestones?: string[] | undefined; milestone_ids?: number[] | undefined }) =>
  params.milestones === undefined && params.milestone_ids === undefined
    ? undefined
    : { titles: params.milestones ?? [], ids: params.milestone_ids ?? [] };

const html = { include_html_description: boolean().default(false) };
const notRedirected = 'It is no redirect: clients would send their token along.';

/** Releases of tags (G §10). */
export const releaseRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Releases',
    summary: 'List releases',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: { ...html, updated_after: dateTime().optional(), updated_before: dateTime().optional() },
    list: { orderBy: ['released_at', 'created_at'], sort: 'desc' },
    returns: { 200: ['Release'] },
    handle: ({ params, access, page, call }) =>
      call(ReleaseServiceService).listReleases({
        projectId: access.id,
        page,
        updatedAfter: params.updated_after,
        updatedBefore: params.updated_before,
        includeHtmlDescription: params.include_html_description,
      }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Releases',
    summary: 'Create a release',
    docs: {
      description:
        'Publish a tag, which is made at `ref` when there is none. On a protected tag it takes the right to create it. No evidence is collected.',
      fails: [409, 422],
      example: { tag_name: 'v1.0.0', ref: 'main', name: 'The first release', description: '- Everything' },
    },
    access: { project: 'push_code' },
    tokens: ['job'],
    params: {
      tag_name: documented(text({ notEmpty: true }), refName),
      tag_message: text().optional(),
      ref: text().optional(),
      ...fields,
      assets: hash({ links: hashes(linkFields).optional() }).optional(),
    },
    relations: [mutuallyExclusive('milestones', 'milestone_ids')],
    returns: { 201: 'Release' },
    handle: ({ params, access, call }) =>
      call(ReleaseServiceService).createRelease({
        projectId: access.id,
        tagName: params.tag_name,
        tagMessage: params.tag_message ?? '',
        ref: params.ref ?? '',
        name: params.name ?? '',
        description: params.description ?? '',
        milestones: milestonesOf(params),
        links: (params.assets?.links ?? []).map(linkOf),
        releasedAt: params.released_at,
        ofTag: false,
      }),
  }),
  defineRoute({
    method: 'get',
    path: latestPath,
    section: 'Releases',
    summary: 'Get the latest release',
    docs: { description: 'The release that was published last; upcoming ones do not count.' },
    access: { project: 'read_code' },
    tokens: ['job'],
    params: html,
    returns: { 200: 'Release' },
    handle: ({ params, access, call }) =>
      call(ReleaseServiceService).getRelease({
        projectId: access.id,
        tagName: '',
        includeHtmlDescription: params.include_html_description,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${latestPath}/downloads/:direct_asset_path`,
    section: 'Releases',
    summary: 'Get where an asset of the latest release is',
    docs: { description: `One line with the address of the link. ${notRedirected}`, contentTypes: ['text/plain'] },
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: asset,
    returns: { 200: undefined },
    handle: async ({ path: { direct_asset_path }, access, call }) => ({
      raw: (
        await call(ReleaseServiceService).getReleaseAsset({
          projectId: access.id,
          tagName: '',
          path: direct_asset_path,
        })
      ).json,
      contentType: 'text/plain; charset=utf-8',
    }),
  }),
  defineRoute({
    method: 'get',
    path: releasePath,
    section: 'Releases',
    summary: 'Get a release',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: tag,
    params: html,
    returns: { 200: 'Release' },
    handle: ({ path: { tag_name }, params, access, call }) =>
      call(ReleaseServiceService).getRelease({
        projectId: access.id,
        tagName: tag_name,
        includeHtmlDescription: params.include_html_description,
      }),
  }),
  defineRoute({
    method: 'put',
    path: releasePath,
    section: 'Releases',
    summary: 'Update a release',
    docs: { example: { description: '- Everything, and more' } },
    access: { project: 'push_code' },
    tokens: ['job'],
    path_params: tag,
    params: fields,
    relations: [
      mutuallyExclusive('milestones', 'milestone_ids'),
      atLeastOne('name', 'description', 'milestones', 'milestone_ids', 'released_at'),
    ],
    returns: { 200: 'Release' },
    handle: ({ path: { tag_name }, params, access, call }) =>
      call(ReleaseServiceService).updateRelease({
        projectId: access.id,
        tagName: tag_name,
        name: params.name,
        description: params.description,
        releasedAt: params.released_at,
        milestones: milestonesOf(params),
        ofTag: false,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: releasePath,
    section: 'Releases',
    summary: 'Delete a release',
    docs: { description: 'Its tag stays. Deleting the tag deletes its release as well.', fails: [412] },
    access: { project: 'push_code' },
    tokens: ['job'],
    path_params: tag,
    returns: { 200: 'Release' },
    handle: ({ path: { tag_name }, access, unmodifiedSince, call }) =>
      call(ReleaseServiceService).deleteRelease({
        projectId: access.id,
        tagName: tag_name,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${releasePath}/downloads/:direct_asset_path`,
    section: 'Releases',
    summary: 'Get where an asset of a release is',
    docs: { description: `One line with the address of the link. ${notRedirected}`, contentTypes: ['text/plain'] },
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: { ...tag, ...asset },
    returns: { 200: undefined },
    handle: async ({ path: { tag_name, direct_asset_path }, access, call }) => ({
      raw: (
        await call(ReleaseServiceService).getReleaseAsset({
          projectId: access.id,
          tagName: tag_name,
          path: direct_asset_path,
        })
      ).json,
      contentType: 'text/plain; charset=utf-8',
    }),
  }),
  ...(['post', 'put'] as const).map((method) =>
    defineRoute({
      method,
      path: '/projects/:id/repository/tags/:tag_name/release',
      section: 'Releases',
      summary: method === 'post' ? 'Create the release of a tag' : 'Update the release of a tag',
      docs: {
        description: 'The older form of releases, with a description alone.',
        fails: method === 'post' ? [409] : [],
        example: { description: '- Everything' },
      },
      access: { project: 'push_code' },
      path_params: tag,
      params: { description: documented(text(), longText) },
      returns: method === 'post' ? { 201: 'ReleaseOfTag' } : { 200: 'ReleaseOfTag' },
      handle: ({ path: { tag_name }, params: { description }, access, call }) => {
        const releases = call(ReleaseServiceService);
        const wanted = { projectId: access.id, tagName: tag_name, description, ofTag: true };
        return method === 'post'
          ? releases.createRelease({
              ...wanted,
              tagMessage: '',
              ref: '',
              name: '',
              milestones: undefined,
              links: [],
              releasedAt: undefined,
            })
          : releases.updateRelease({ ...wanted, name: undefined, releasedAt: undefined, milestones: undefined });
      },
    }),
  ),
];
