import type { CrossReference } from '@switchyard/texts';

/** An object whose texts refer to others. */
export interface ReferenceSource {
  readonly kind: 'Issue' | 'MergeRequest' | 'Commit' | 'Epic';
  /** Id at its owner; 0 for a commit. */
  readonly id: number;
  /** Number within its project or group; 0 for a commit. */
  readonly iid: number;
  /** 0 for an epic. */
  readonly projectId: number;
  /** Group of an epic; 0 or undefined for everything else. */
  readonly groupId?: number;
  /** Full sha of a commit; empty otherwise. */
  readonly sha: string;
}

/** An object that a text refers to. */
export interface ReferenceTarget {
  readonly kind: CrossReference['kind'];
  readonly id: number;
  readonly iid: number;
  /** 0 for an epic. */
  readonly projectId: number;
  /** Group of an epic; undefined for everything else. */
  readonly groupId?: number;
}

const sourceNames = { Issue: 'issue #', MergeRequest: 'merge request !', Commit: 'commit ', Epic: 'epic &' } as const;

/** The project of a source, or the group of an epic. */
export interface SourceHome {
  /** Undefined for an epic: numbers alone name nothing of a project there. */
  readonly projectId: number | undefined;
  /** Full path of the project or group. */
  readonly path: string;
  /** Full path of the group. */
  readonly namespacePath: string;
}

/**
 * Full path of the group that a reference to an epic in a text of `home` names, else of the project; undefined: `home`
 * itself.
 */
export function referencedPath(
  { kind, path }: Pick<CrossReference, 'kind' | 'path'>,
  home: SourceHome,
): string | undefined {
  if (kind === 'Epic') return path === '' ? home.namespacePath : path;
  if (path === '') return undefined;
  return path.includes('/') ? path : `${home.namespacePath}/${path}`;
}

/**
 * The body of the system note on an object that another one refers to; `path` is the full path of the source's project
 * or group. The reference is short within it and has the path elsewhere: only users who can read the source see it.
 */
export function mentionedIn(source: ReferenceSource, path: string, target: ReferenceTarget): string {
  const name = sourceNames[source.kind];
  const number = source.kind === 'Commit' ? source.sha : String(source.iid);
  if (source.projectId === target.projectId && (source.groupId || 0) === (target.groupId ?? 0))
    return `mentioned in ${name}${number}`;
  const mark = source.kind === 'Commit' ? '@' : name.slice(-1);
  const word = name.slice(0, -1).trimEnd();
  return `mentioned in ${word} ${path}${mark}${number}`;
}

/** The cause of that note: one for each pair of objects, however often the one refers to the other. */
export const crossReferenceCause = (source: ReferenceSource, target: ReferenceTarget): string =>
  `reference:${source.kind}:${source.sha || source.id}:${target.kind}:${target.id}`;

/** Whether source and target are one object: it gets no system note. */
export const isSameObject = (source: ReferenceSource, target: ReferenceTarget): boolean =>
  source.kind === target.kind && source.id === target.id;

/** A system note on an object that another one refers to. */
export interface ReferenceNote {
  readonly source: ReferenceSource;
  readonly authorId: number;
  readonly body: string;
  /** The first is its cause; there is no such note when a note has one of them. */
  readonly causes: readonly [string, ...string[]];
  readonly at: Date;
}
