import type { Content } from '@switchyard/blobs';
import { isUniqueViolation } from '@switchyard/database';
import { conflict, invalid, invalidParams } from '@switchyard/errors';
import type { Contents } from '../../contents';
import type { PackageFile, PackagePlace, PackagesArea, PlacedFile, Publisher } from '../../packages';
import { type CheckedPypiForm, digestProblems, formProblems, normalizeName, type PypiForm } from '../domain/pypi-file';

/** What the use cases work with. */
export interface PypiEdges {
  readonly packages: Pick<
    PackagesArea,
    'publishReceived' | 'findContentIn' | 'pypiFilesIn' | 'pypiNamesIn' | 'pypiSpelling' | 'describe'
  >;
  readonly contents: Pick<Contents, 'receive'>;
}

/** Which version of a project. */
export interface PypiVersion {
  readonly projectId: number;
  /** In any spelling (PEP 503). */
  readonly name: string;
  /** As it was published. */
  readonly version: string;
}

/** In the words by which publishing tools know that they may pass over the file. */
const taken = () => invalid('Validation failed: File name has already been taken');

/** The use cases of an index of Python packages; the gateway has checked what the caller may do. */
export const managePypiFiles = ({ packages, contents }: PypiEdges) => ({
  /**
   * Publishes a file of at most `limit` bytes under a name that its version does not have yet. `form` settles when all
   * of it has arrived. Fails with `invalid_params`, with `invalid` where the name is taken, with `conflict` where a
   * project gets its first version in two spellings at once, and as `Publishing` does; then nothing is kept.
   */
  async publish(
    { projectId, publisher }: { readonly projectId: number; readonly publisher: Publisher },
    content: Content,
    form: () => Promise<PypiForm>,
    limit: number,
  ): Promise<void> {
    await contents.receive(content, limit, async (received) => {
      const given = await form();
      const problems = [...formProblems(given), ...digestProblems(given, received)];
      if (problems.length > 0) throw invalidParams(...problems);
      const { fileName, name: written, version, requiresPython } = given as CheckedPypiForm;
      const name = (await packages.pypiSpelling(projectId, normalizeName(written))) ?? written;
      const key = { projectId, format: 'pypi' as const, name, version };
      const fileMetadata = requiresPython ? { requires_python: requiresPython } : {};
      return packages
        .publishReceived({ key, fileName, publisher, fileMetadata, refuseFile: taken }, received)
        .catch((error) => {
          throw isUniqueViolation(error, 'packages_of_pypi') ? conflict('The name is spelled otherwise') : error;
        });
    });
  },

  /**
   * Yanks a version with a reason, which may be empty (PEP 592), or takes that back where it is undefined. Its later
   * files are yanked with it. Fails with `not_found`, and with `forbidden` where a protection rule wants a higher level.
   */
  async yank({ projectId, name, version }: PypiVersion, reason: string | undefined, level: number): Promise<void> {
    const spelling = (await packages.pypiSpelling(projectId, normalizeName(name))) ?? name;
    await packages.describe(
      { projectId, format: 'pypi', name: spelling, version },
      reason === undefined
        ? { status: 'default', metadata: {} }
        : { status: 'deprecated', metadata: { yanked: reason } },
      level,
    );
  },

  /** Normalized names of the projects in a place. */
  names: (place: PackagePlace): Promise<string[]> => packages.pypiNamesIn(place),

  /** Files of all versions of a project, however its name is written. */
  filesOf: (place: PackagePlace, name: string): Promise<PlacedFile[]> =>
    packages.pypiFilesIn(place, normalizeName(name)),

  /** A file by its content and name; undefined when there is none. */
  find: (place: PackagePlace, file: { sha256: string; fileName: string }): Promise<PackageFile | undefined> =>
    packages.findContentIn(place, 'pypi', file),
});

/** What `managePypiFiles` gives. */
export type PypiFiles = ReturnType<typeof managePypiFiles>;
