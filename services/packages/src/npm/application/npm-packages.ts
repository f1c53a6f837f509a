import type { Database, Tx } from '@switchyard/database';
import { isAppError, notFound } from '@switchyard/errors';
import type { Contents } from '../../contents';
import type { PackageFile, PackagesArea, Publisher, Remover } from '../../packages';
import type { RequireUnprotected } from '../../protection';
import { npmError } from '../domain/npm-error';
import { cleanVersion, isTag, tarballName, versionOfTarball } from '../domain/npm-names';
import { distTags, longestMetadata, mostTags, type NewTag, packument, type ServedPackage } from '../domain/packument';
import type { NpmFound, NpmSearch, Place } from '../domain/place';
import { deprecationOf, isObject, type JsonObject, objectOf, readPublication } from '../domain/publication';
import { inspectTarball } from './inspect-tarball';
import type { NpmStore } from './npm.ports';
import { readDocument } from './read-document';
import { revisionOf } from './revision';

/** What the use cases work with. */
export interface NpmEdges {
  readonly db: Database;
  readonly store: NpmStore;
  readonly contents: Pick<Contents, 'receive'>;
  readonly packages: Pick<PackagesArea, 'publishReceived' | 'findFile' | 'remove' | 'removeWithin' | 'destroySoon'>;
  readonly requireUnprotected: RequireUnprotected;
  /** Address of the API, without a trailing slash. */
  readonly api: string;
  /** Bytes of the largest tarball. */
  readonly limit: number;
}

/** A package of a project. */
export interface NpmTarget {
  readonly projectId: number;
  readonly name: string;
}

const noPackage = () => npmError('not_found', 'Package not found');
const noVersion = () => npmError('not_found', 'Version not found');
const alreadyThere = () => npmError('forbidden', 'Package already exists.');

/** The use cases of npm packages; the gateway has checked what the caller may do. */
export function npmPackages({ db, store, contents, packages, requireUnprotected, api, limit }: NpmEdges) {
  async function shownIn(place: Place, name: string, form: 'full' | 'short'): Promise<ServedPackage> {
    const found = await store.find(place, name, form);
    if (found.versions.length === 0) throw noPackage();
    return found;
  }

  const ofProject = ({ projectId, name }: NpmTarget): Promise<ServedPackage> =>
    shownIn({ kind: 'project', id: projectId }, name, 'short');

  /** Fails with `forbidden` where a protection rule wants a higher level. */
  const unprotected = (
    tx: Parameters<RequireUnprotected>[0],
    act: 'push' | 'delete',
    { projectId, name }: NpmTarget,
    { level }: { readonly level: number },
  ): Promise<void> => requireUnprotected(tx, act, { projectId, format: 'npm', name }, level);

  /** Changes what a package says, by who may publish it. Fails with `forbidden` where a rule wants a higher level. */
  const change = (
    target: NpmTarget,
    by: Pick<Publisher, 'level'>,
    write: (tx: Tx) => Promise<unknown>,
  ): Promise<void> =>
    db.transaction(async (tx) => {
      await unprotected(tx, 'push', target, by);
      await write(tx);
    });

  /** Gives versions names. Fails with `bad_request` where a package would have too many. */
  async function setTags(tx: Tx, { projectId, name }: NpmTarget, tags: readonly NewTag[]): Promise<void> {
    const count = tags.length > mostTags ? tags.length : await store.setTags(tx, projectId, name, tags);
    if (count > mostTags) throw npmError('bad_request', `the package has too many dist-tags (maximum is ${mostTags})`);
  }

  /** Texts of the deprecations of versions that a document has. */
  const textsOf = (versions: JsonObject): Map<string, string> =>
    new Map(
      Object.entries(versions).flatMap(([version, manifest]) =>
        isObject(manifest) ? [[version, deprecationOf(manifest)]] : [],
      ),
    );

  /** Publishes the version of a document with a tarball (G-4.17-13), or takes over the deprecations of one without. */
  async function publish(target: NpmTarget, body: AsyncIterable<Uint8Array>, publisher: Publisher): Promise<void> {
    const { projectId, name } = target;
    await unprotected(db, 'push', target, publisher);
    const document = readDocument(body);
    const attachment = await document.attachment();
    if (attachment === undefined) {
      const said = await document.rest();
      // A client that forgot the tarball would take the answer for that of a publication.
      if (!('versions' in said) || Object.keys(objectOf(said, '_attachments')).length > 0)
        throw npmError('bad_request', 'the body has neither a tarball nor deprecations');
      const versions = objectOf(said, 'versions');
      await ofProject(target);
      return change(target, publisher, (tx) => store.deprecate(tx, projectId, name, textsOf(versions)));
    }
    const tarball = inspectTarball();
    const received = contents.receive(tarball.through(attachment.content), limit, async (content) => {
      const { fileName } = attachment;
      const facts = { ...content, ...(await tarball.facts()), fileName };
      const publication = readPublication(name, await document.rest(), facts);
      const { version, tags, metadata, deprecated } = publication;
      const key = { projectId, format: 'npm' as const, name, version };
      await packages.publishReceived(
        {
          key,
          fileName: publication.fileName,
          publisher,
          metadata,
          refusePackage: alreadyThere,
        },
        content,
        async (tx, packageId) => {
          if ((await store.metadataLength(tx, projectId, name)) > longestMetadata)
            throw npmError('bad_request', 'the versions of the package have too much metadata');
          await setTags(
            tx,
            target,
            tags.map((tag) => ({ name: tag, packageId })),
          );
          if (deprecated !== '') await store.deprecate(tx, projectId, name, new Map([[version, deprecated]]));
        },
      );
    });
    await received.catch(async (error: unknown) => {
      await document.close();
      throw isAppError(error, 'too_large') && error.body.error === undefined
        ? npmError('too_large', 'Package is too large')
        : error;
    });
  }

  /** Refuses a change of a state that is not the present one: it would undo what came in between. */
  function requireRevision(found: ServedPackage, revision: string): void {
    if (revision !== revisionOf(found)) throw npmError('conflict', 'The package has changed meanwhile. Try again.');
  }

  /** Someone else may have deleted a version since it was read. */
  async function unlessGone(removal: Promise<void>): Promise<void> {
    await removal.catch((error: unknown) => {
      if (!isAppError(error, 'not_found')) throw error;
    });
  }

  async function removeVersions(
    { projectId }: NpmTarget,
    versions: readonly { readonly id: number }[],
    by: Remover,
  ): Promise<void> {
    for (const { id } of versions) await unlessGone(packages.remove(projectId, id, by, undefined));
  }

  return {
    publish,

    /** The metadata of a package (G-4.17-14). Fails with `not_found`. */
    async metadata(place: Place, name: string, form: 'full' | 'short'): Promise<string> {
      const found = await shownIn(place, name, form);
      return packument(api, found, form, revisionOf(found));
    },

    /** The tarball with a name. Fails with `not_found`. */
    async tarball({ projectId, name }: NpmTarget, fileName: string): Promise<PackageFile> {
      const version = versionOfTarball(name, fileName);
      const key = { projectId, format: 'npm' as const, name, version };
      const file = version === undefined ? undefined : await packages.findFile(key, tarballName(name, version));
      if (file === undefined) throw notFound();
      return file;
    },

    /** Names of versions (G-4.17-15). Fails with `not_found`. */
    async tags(place: Place, name: string): Promise<Record<string, string>> {
      return distTags(await shownIn(place, name, 'short'));
    },

    /** Gives a version a name. Fails with `bad_request`, `not_found`, and `forbidden` where a rule protects the package. */
    async setTag(target: NpmTarget, tag: string, version: unknown, by: Publisher): Promise<void> {
      if (!isTag(tag)) throw npmError('bad_request', 'Tag is invalid');
      const found = await ofProject(target);
      const spellings = [version, cleanVersion(String(version))];
      const one = found.versions.find((other) => spellings.includes(other.version));
      if (one === undefined) throw noVersion();
      await change(target, by, (tx) => setTags(tx, target, [{ name: tag, packageId: one.id }]));
    },

    /** Takes a name away. Fails with `not_found`, and `forbidden` where a rule protects the package. */
    async deleteTag(target: NpmTarget, tag: string, by: Publisher): Promise<void> {
      const { tags } = await ofProject(target);
      if (!tags.some(({ name }) => name === tag)) throw npmError('not_found', 'Tag not found');
      await change(target, by, (tx) => store.deleteTags(tx, target.projectId, target.name, [tag]));
    },

    /**
     * Makes a document the state of a package: versions that it leaves out are deleted, names of versions and deprecations
     * are those of the document: all of it, or nothing. Fails with `conflict` where the revision is not the present one, and
     * with `forbidden` where a rule protects the package: from deletions where a version goes, and from publications where
     * more changes than what goes with it.
     */
    async replace(target: NpmTarget, revision: string, body: AsyncIterable<Uint8Array>, by: Remover): Promise<void> {
      const { projectId, name } = target;
      const document = readDocument(body);
      if ((await document.attachment()) !== undefined) throw npmError('bad_request', 'more than one attachment');
      const given = await document.rest();
      const versions = objectOf(given, 'versions');
      // `npm owner` sends a document of owners alone; what it leaves out is not to be deleted.
      if (Object.keys(versions).length === 0 || !('dist-tags' in given))
        throw npmError('bad_request', 'the body has no versions or no dist-tags');
      const wanted = objectOf(given, 'dist-tags');
      const texts = textsOf(versions);
      const found = await ofProject(target);
      requireRevision(found, revision);
      const kept = new Map(found.versions.flatMap(({ version, id }) => (version in versions ? [[version, id]] : [])));
      const served = distTags(found);
      const moved = Object.entries(wanted).filter(
        ([tag, version]) => isTag(tag) && kept.has(version as string) && served[tag] !== version,
      );
      const gone = found.tags.filter((tag) => !(tag.name in wanted));
      const left = found.versions.filter(({ version }) => !kept.has(version));
      // Clients let `latest` fall back where its version goes.
      const fallsBack = (tag: string): boolean =>
        tag === 'latest' && served.latest !== undefined && !kept.has(served.latest);
      const retags = moved.some(([tag]) => !fallsBack(tag)) || gone.some(({ version }) => kept.has(version));
      await db.transaction(async (tx) => {
        if (left.length > 0) await unprotected(tx, 'delete', target, by);
        await store.deleteTags(
          tx,
          projectId,
          name,
          gone.map((tag) => tag.name),
        );
        await setTags(
          tx,
          target,
          moved.map(([tag, version]) => ({ name: tag, packageId: kept.get(version as string) as number })),
        );
        const deprecated = await store.deprecate(tx, projectId, name, texts);
        if (left.length === 0 || retags || deprecated > 0) await unprotected(tx, 'push', target, by);
        for (const { id } of left) await unlessGone(packages.removeWithin(tx, projectId, id, by));
      });
      packages.destroySoon();
    },

    /** Deletes every version of a package. Fails with `not_found`, and `conflict` as `replace` does. */
    async unpublish(target: NpmTarget, revision: string, by: Remover): Promise<void> {
      const found = await ofProject(target);
      requireRevision(found, revision);
      await removeVersions(target, found.versions, by);
    },

    /** Deletes the version of a tarball; one that is gone was deleted before. Fails with `not_found`. */
    async unpublishTarball(target: NpmTarget, fileName: string, by: Remover): Promise<void> {
      const wanted = versionOfTarball(target.name, fileName);
      const { versions } = await ofProject(target);
      const one = versions.find(({ version }) => version === wanted);
      if (one === undefined) throw noVersion();
      await removeVersions(target, [one], by);
    },

    /** Packages whose names have a text. */
    search: (place: Place, search: NpmSearch): Promise<{ found: NpmFound[]; total: number }> =>
      store.search(place, search),
  };
}

/** What `npmPackages` gives. */
export type NpmPackages = ReturnType<typeof npmPackages>;
