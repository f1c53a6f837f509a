import { levels } from '@switchyard/rights';

/** What decides who may read a change. */
export interface ChangeAudience {
  readonly confidential: boolean;
  readonly projectId: number;
  readonly groupId: number;
  readonly authorId: number;
  readonly audienceIds: readonly number[];
  /** Feature that it is about; empty for none. */
  readonly feature: string;
  /** Level from which it is read; 0 for every reader of the project or group. */
  readonly leastLevel: number;
}

/** What a reader may do in a project or group that they see. */
export interface ReaderRights {
  /** 0 to 50. */
  readonly level: number;
  /** Features that are closed to the reader. */
  readonly closed: ReadonlySet<string>;
}

/** Rights of one reader: those in what they do not see are missing. */
export interface RightsOfReader {
  /** 0 for an anonymous reader. */
  readonly userId: number;
  readonly admin: boolean;
  readonly projects: ReadonlyMap<number, ReaderRights>;
  readonly groups: ReadonlyMap<number, ReaderRights>;
}

/**
 * Whether a reader may have a change: the project or group is seen, its feature is open, and the level suffices; the
 * author and the users named beside it need no level for what is confidential.
 */
export function mayRead(change: ChangeAudience, reader: RightsOfReader): boolean {
  const { projectId, groupId, feature, leastLevel, confidential } = change;
  const rights = projectId > 0 ? reader.projects.get(projectId) : reader.groups.get(groupId);
  if (rights === undefined || (feature !== '' && rights.closed.has(feature))) return false;
  if (reader.admin || rights.level >= leastOf(confidential, leastLevel)) return true;
  return confidential && reader.userId > 0 && [change.authorId, ...change.audienceIds].includes(reader.userId);
}

/** What is confidential is never for everybody, even where an owner gave no level. */
const leastOf = (confidential: boolean, leastLevel: number): number =>
  confidential && leastLevel === 0 ? levels.reporter : leastLevel;
