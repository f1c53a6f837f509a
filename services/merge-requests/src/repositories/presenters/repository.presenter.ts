import type { TreeEntry } from '../../git';

/** An entry of a directory. */
export const treeEntryObject = (entry: TreeEntry) => ({
  id: entry.sha,
  name: entry.name,
  type: entry.type,
  path: entry.path,
  mode: entry.mode,
});

/** A blob asked for by its sha. */
export const blobObject = (sha: string, content: Buffer) => ({
  size: content.length,
  encoding: 'base64',
  content: content.toString('base64'),
  sha,
});

/** Who committed, and how often. Lines are not counted. */
export const contributorObject = (contributor: { name: string; email: string; commits: number }) => ({
  ...contributor,
  additions: 0,
  deletions: 0,
});
