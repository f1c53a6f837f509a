import type { Tag } from '../../git';
import { commitObject, type RepositoryAddress } from './commit.presenter';
import { dateTime } from './text';

/** What a page of tags is shown with. */
export interface TagRendering {
  readonly isProtected: (tag: Tag) => boolean;
  /** Descriptions of the releases of tags, by the names of the tags. */
  readonly releases: ReadonlyMap<string, string>;
}

/** A tag; `message` and `created_at` of annotated ones, `commit` null for a tag of a tree or blob. */
export const tagObject = (tag: Tag, address: RepositoryAddress, { isProtected, releases }: TagRendering) => ({
  name: tag.name,
  message: tag.message ?? '',
  target: tag.target,
  commit: tag.commit === undefined ? null : commitObject(tag.commit, address),
  release: releases.has(tag.name) ? { tag_name: tag.name, description: releases.get(tag.name) } : null,
  protected: isProtected(tag),
  created_at: tag.createdAt === undefined ? null : dateTime(tag.createdAt),
});
