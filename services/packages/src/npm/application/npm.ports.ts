import type { Tx } from '@switchyard/database';
import type { NewTag, ServedPackage } from '../domain/packument';
import type { NpmFound, NpmSearch, Place } from '../domain/place';

/** What is particular to npm, as rows: the names of versions, and deprecations. */
export interface NpmStore {
  /**
   * The versions of a name that are shown, and their names. In a group the newest of several with one version; on the
   * instance those of one project: below the root group of the scope's name, otherwise the one that published last.
   */
  find(place: Place, name: string, form: 'full' | 'short'): Promise<ServedPackage>;
  /** Packages whose names have a text, by name, and how many there are. */
  search(place: Place, search: NpmSearch): Promise<{ found: NpmFound[]; total: number }>;
  /** Bytes of what is kept of the versions of a name; those that are new, or have changed, are counted by the way. */
  metadataLength(tx: Tx, projectId: number, name: string): Promise<number>;
  /**
   * Gives versions names, which others lose.
   * @returns how many names the package has now where some are new to it, else 0
   */
  setTags(tx: Tx, projectId: number, packageName: string, tags: readonly NewTag[]): Promise<number>;
  /** Takes names away from versions. */
  deleteTags(tx: Tx, projectId: number, packageName: string, names: readonly string[]): Promise<void>;
  /**
   * Sets the texts of deprecations of versions; an empty one ends it. What stays the same is not touched.
   * @returns how many versions changed
   */
  deprecate(tx: Tx, projectId: number, packageName: string, texts: ReadonlyMap<string, string>): Promise<number>;
}
