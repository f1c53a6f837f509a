import type { DirectoryProjectRow } from '@switchyard/directory';
import type { ReleaseHappening } from '../domain/hook-event';
import { commitPart, type HookRendering, hookTime, pageUrl, projectParts, type RenderedHook } from './hook-parts';

/** Formats of the source code of a release. */
const formats = ['zip', 'tar.gz', 'tar.bz2'];

/** A release that was made, changed or deleted (G-6-4). Source code is there while its tag is. */
export function presentReleaseHook(
  { release, action }: ReleaseHappening,
  project: DirectoryProjectRow,
  { facts, externalUrl }: HookRendering,
): RenderedHook {
  const { id, tag, name, description, createdAt, releasedAt, links } = release;
  const commit = facts.commits.get(project.id)?.tags.get(tag);
  const part = encodeURIComponent(tag);
  const sources =
    commit === undefined
      ? []
      : formats.map((format) => ({
          format,
          url: `${externalUrl}/api/v4/projects/${project.id}/repository/archive.${format}?sha=${part}`,
        }));
  return {
    kind: 'release',
    action,
    ref: tag,
    objectKey: `release:${id}`,
    feature: 'repository',
    json: {
      object_kind: 'release',
      id,
      action,
      tag,
      name,
      description: description || null,
      created_at: hookTime(createdAt),
      released_at: hookTime(releasedAt),
      url: pageUrl(project, externalUrl, `releases/${part}`),
      project: projectParts(project, externalUrl).project,
      assets: {
        count: links.length + sources.length,
        links: links.map(({ linkType, ...link }) => ({
          id: link.id,
          link_type: linkType,
          name: link.name,
          url: link.url,
        })),
        sources,
      },
      commit: commit === undefined ? null : commitPart(commit, project, externalUrl),
    },
  };
}
