import type { Tx } from '@switchyard/database';
import type { PackageFile, PackageFormat, PackageKey } from '../domain/package';
import type { PackagePlace, PlacedFile, SpelledVersion } from '../domain/package-place';

/** What package managers find in a place; each is one statement. */
export interface PackagePlaces {
  /** The newest file with a name of the packages with a key; undefined when there is none. */
  findFileIn(
    place: PackagePlace,
    key: Omit<PackageKey, 'projectId'>,
    fileName: string,
  ): Promise<PackageFile | undefined>;
  /** The newest file with a name and a content; undefined when there is none. @param sha256 hexadecimal digits */
  findContentIn(
    place: PackagePlace,
    format: PackageFormat,
    file: { readonly sha256: string; readonly fileName: string },
  ): Promise<PackageFile | undefined>;
  /** Files of all versions of the Python project with a normalized name (PEP 503), oldest first, up to 20,000. */
  pypiFilesIn(place: PackagePlace, normalizedName: string): Promise<PlacedFile[]>;
  /** Normalized names of Python projects in order, up to 50,000. */
  pypiNamesIn(place: PackagePlace): Promise<string[]>;
  /**
   * Versions that a project has of a Python name, oldest first, each as it is spelled, up to 20,000.
   * @param tx reads them in this transaction, and keeps others from doing so until it ends
   */
  pypiVersions(projectId: number, normalizedName: string, tx?: Tx): Promise<SpelledVersion[]>;
}
