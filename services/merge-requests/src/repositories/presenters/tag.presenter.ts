import type { Tag } from '../../git';
import { commitObject, type RepositoryAddress } from './commit.presenter';
import { dateTime } from './text';

/** A tag; `message` and `created_at` of annotated ones, `commit` null for a tag of a tree or blob. */
export const tagObject = (tag: Tag, address: RepositoryAddress, isProtected: (tag: Tag) => boolean) => ({
  name: tag.name,
  message: tag.message ?? '',
  target: tag.target,
  commit: tag.commit === undefined ? null : commitObject(tag.commit, address),
  release: null,
  protected: isProtected(tag),
  created_at: tag.createdAt === undefined ? null : dateTime(tag.createdAt),
});
