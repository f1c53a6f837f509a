import type { Content } from '@switchyard/blobs';
import { isUniqueViolation } from '@switchyard/database';
import { conflict, invalid, invalidParams } from '@switchyard/errors';
import { pythonName } from '@switchyard/texts';
import type { Contents } from '../../contents';
import type { PackageFile, PackagePlace, PackagesArea, PlacedFile, Publisher, SpelledVersion } from '../../packages';
import {
  type CheckedPypiForm,
  canonicalVersion,
  digestProblems,
  formProblems,
  type PypiForm,
} from '../domain/pypi-file';

/** What the use cases work with. */
export interface PypiEdges {
  readonly packages: Pick<
    PackagesArea,
    'publishReceived' | 'findContentIn' | 'pypiFilesIn' | 'pypiNamesIn' | 'pypiVersions' | 'describe'
  >;
  readonly contents: Pick<Contents, 'receive'>;
}

/** Which version of a project. */
export interface PypiVersion {
  readonly projectId: number;
  /** In any spelling (PEP 503). */
  readonly name: string;
  /** In any spelling (PEP 440). */
  readonly version: string;
}

/** In the words by which publishing tools know that they may pass over the file. */
const taken = () => invalid('Validation failed: File name has already been taken');

const same = (version: string) => {
  const canonical = canonicalVersion(version);
  return (other: SpelledVersion): boolean => canonicalVersion(other.version) === canonical;
};

/** How a name and a version are spelled that may be known already. */
function spelled(known: readonly SpelledVersion[], { name, version }: SpelledVersion): SpelledVersion {
  return { name: known[0]?.name ?? name, version: known.find(same(version))?.version ?? version };
}

/** The use cases of an index of Python packages; the gateway has checked what the caller may do. */
export const managePypiFiles = ({ packages, contents }: PypiEdges) => ({
  /**
   * Publishes a file of at most `limit` bytes under a name that its version does not have yet. `form` settles when all
   * of it has arrived. Fails with `invalid_params`, with `invalid` where the name is taken, with `conflict` where a name or
   * a version comes in two spellings at once, and as `Publishing` does; then nothing is kept.
   */
  async publish(
    { projectId, publisher }: { readonly projectId: number; readonly publisher: Publisher },
    content: Content,
    form: () => Promise<PypiForm>,
    limit: number,
  ): Promise<void> {
    await contents.receive(content, limit, async (received) => {
      const sent = await form();
      const problems = [...formProblems(sent), ...digestProblems(sent, received)];
      if (problems.length > 0) throw invalidParams(...problems);
      const { fileName, name: written, version: given, requiresPython } = sent as CheckedPypiForm;
      const normalized = pythonName(written);
      const { name, version } = spelled(await packages.pypiVersions(projectId, normalized), {
        name: written,
        version: given,
      });
      const key = { projectId, format: 'pypi' as const, name, version };
      const respelled = (known: SpelledVersion[]) => known.filter(same(version)).length > 1;
      const fileMetadata = requiresPython ? { requires_python: requiresPython } : {};
      return packages
        .publishReceived({ key, fileName, publisher, fileMetadata, refuseFile: taken }, received, async (tx) => {
          // Of two that come at once in two spellings the second finds the first.
          if (respelled(await packages.pypiVersions(projectId, normalized, tx)))
            throw conflict('The version is spelled otherwise');
        })
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
    const known = await packages.pypiVersions(projectId, pythonName(name));
    await packages.describe(
      { projectId, format: 'pypi', ...spelled(known, { name, version }) },
      reason === undefined
        ? { status: 'default', metadata: {} }
        : { status: 'deprecated', metadata: { yanked: reason } },
      level,
    );
  },

  /** Normalized names of the projects in a place. */
  names: (place: PackagePlace): Promise<string[]> => packages.pypiNamesIn(place),

  /** Files of all versions of a project, however its name is written. */
  filesOf: (place: PackagePlace, name: string): Promise<PlacedFile[]> => packages.pypiFilesIn(place, pythonName(name)),

  /** A file by its content and name; undefined when there is none. */
  find: (place: PackagePlace, file: { sha256: string; fileName: string }): Promise<PackageFile | undefined> =>
    packages.findContentIn(place, 'pypi', file),
});

/** What `managePypiFiles` gives. */
export type PypiFiles = ReturnType<typeof managePypiFiles>;
