import { fullPath, milestoneReference, projectUrl, userReference } from '@switchyard/directory';
import type { RenderProjectMarkdown } from '@switchyard/markdown';
import type { Commit } from '../../git';
import { commitObject, dateTime } from '../../repositories';
import { isUpcoming, type Release, type ReleaseLink, type ReleaseView } from '../domain/release';

/** How a release is rendered. */
export interface ReleaseRendering {
  readonly externalUrl: string;
  readonly now: Date;
  /** Adds the description as HTML; one renderer serves a whole reply. */
  readonly html?: RenderProjectMarkdown | undefined;
}

const apiOf = (projectId: number, externalUrl: string): string => `${externalUrl}/api/v4/projects/${projectId}`;

const sourceFormats = ['zip', 'tar.gz', 'tar.bz2'] as const;

/** A link of a release. One without a path has no other address than its own. */
export const presentReleaseLink = (
  link: ReleaseLink,
  { projectId, tag }: Pick<Release, 'projectId' | 'tag'>,
  externalUrl: string,
) => ({
  id: link.id,
  name: link.name,
  url: link.url,
  direct_asset_url:
    link.path === undefined
      ? link.url
      : `${apiOf(projectId, externalUrl)}/releases/${encodeURIComponent(tag)}/downloads/${encodeURIComponent(link.path.slice(1))}`,
  link_type: link.type,
});

/** A release, with the commit of its tag. */
export function presentRelease(
  { release, project, author, commit, milestones, links }: ReleaseView & { readonly commit: Commit | undefined },
  { externalUrl, now, html }: ReleaseRendering,
) {
  const { tag, description } = release;
  const part = encodeURIComponent(tag);
  const self = `${projectUrl(project, externalUrl)}/-/releases/${part}`;
  const sources =
    commit === undefined
      ? []
      : sourceFormats.map((format) => ({
          format,
          url: `${apiOf(release.projectId, externalUrl)}/repository/archive.${format}?sha=${part}`,
        }));
  return {
    tag_name: tag,
    name: release.name,
    description: description ?? null,
    ...(html === undefined ? {} : { description_html: html(description ?? '', release.projectId) }),
    created_at: dateTime(release.createdAt),
    released_at: dateTime(release.releasedAt),
    upcoming_release: isUpcoming(release, now),
    author: author === undefined ? null : userReference(author, externalUrl),
    commit: commit === undefined ? null : commitObject(commit, { externalUrl, fullPath: fullPath(project) }),
    milestones: milestones.map((milestone) => milestoneReference(milestone, project, externalUrl, now)),
    commit_path: commit === undefined ? null : `/${fullPath(project)}/-/commit/${commit.id}`,
    tag_path: `/${fullPath(project)}/-/tags/${part}`,
    assets: {
      count: sources.length + links.length,
      sources,
      links: links.map((link) => presentReleaseLink(link, release, externalUrl)),
    },
    evidences: [],
    _links: { self, edit_url: `${self}/edit` },
  };
}

/** A release as its tag shows it. */
export const presentReleaseOfTag = ({ tag, description }: Pick<Release, 'tag' | 'description'>) => ({
  tag_name: tag,
  description: description ?? '',
});
