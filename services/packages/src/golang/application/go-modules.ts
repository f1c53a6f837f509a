import { AppError, isAppError } from '@switchyard/errors';
import {
  asIncompatible,
  fitsMajor,
  inOrder,
  isIncompatible,
  isVersion,
  latestOf,
  pseudoTime,
  pseudoVersion,
  readPseudoVersion,
  tagOf,
} from '../domain/go-version';
import { type ModuleEntry, moduleBounds, moduleFiles } from '../domain/module-files';
import { declaredPath, type GoModule, goModsOf, isGo124, within } from '../domain/module-path';
import type { SourceCode, SourceCommit, SourceTag } from './source-code';

/** A version of a module, and where it is. */
export interface FoundVersion {
  readonly version: string;
  readonly commit: SourceCommit;
  /** Folder of the module at that commit. */
  readonly folder: string;
  /** Its go.mod; undefined for a module without one. */
  readonly goMod: Buffer | undefined;
}

/** A file of the zip of a module. */
export interface ZippedFile extends ModuleEntry {
  /** Its name in the zip. */
  readonly name: string;
}

/** The refusal of what is not there, as Go prints it. */
export const goNotFound = (text: string): AppError => new AppError('not_found', { message: `not found: ${text}` });

/** Major versions that are looked at for tags of modules without a go.mod. */
const mostProbes = 1_000;

const isOwnTag = (tag: string): boolean =>
  isVersion(tag) && !isIncompatible(tag) && readPseudoVersion(tag) === undefined;

/** Reads the modules of one repository. */
export function goModules(source: SourceCode) {
  const prefixOf = ({ folder }: GoModule): string => (folder === '' ? '' : `${folder}/`);

  /** Versions that tags of a module name, whatever their major version, and the commits of these. */
  async function tagged(module: GoModule, reachableFrom?: string): Promise<SourceTag[]> {
    const prefix = prefixOf(module);
    const found = await source.tags(`${prefix}v`, reachableFrom);
    return found
      .map(({ name, commitSha }) => ({ name: name.slice(prefix.length), commitSha }))
      .filter(({ name }) => isOwnTag(name));
  }

  async function commitOf(revision: string): Promise<SourceCommit> {
    try {
      return await source.commit(revision);
    } catch (error) {
      throw isAppError(error, 'not_found') ? goNotFound(`unknown revision ${revision}`) : error;
    }
  }

  /** Where a module is declared at a commit, and its go.mod. Fails with `not_found`. */
  async function declared(
    module: GoModule,
    { sha }: SourceCommit,
    version: string,
  ): Promise<Pick<FoundVersion, 'folder' | 'goMod'>> {
    const places = goModsOf(module);
    const found = await source.files(
      places.map((path) => ({ commitSha: sha, path })),
      moduleBounds.goMod,
    );
    const goMods = places.map((path, index) => {
      const { size, content } = found[index] ?? {};
      if (size !== undefined && content === undefined) throw goNotFound(`${path} is too large`);
      return content;
    });
    const [own, ofMajor] = goMods;
    if (module.major === 0) {
      if (isIncompatible(version) && own !== undefined) throw goNotFound(`${version}: the module has a go.mod`);
      if (own === undefined && module.folder !== '') throw goNotFound(`missing ${module.folder}/go.mod`);
      return { folder: module.folder, goMod: own };
    }
    const isDeclared = (goMod: Buffer | undefined): goMod is Buffer =>
      goMod !== undefined && declaredPath(goMod.toString()) === module.path;
    if (isDeclared(own) && isDeclared(ofMajor)) throw goNotFound(`${module.path} is declared in two folders`);
    if (isDeclared(own)) return { folder: module.folder, goMod: own };
    if (isDeclared(ofMajor)) return { folder: within(module.folder, `v${module.major}`), goMod: ofMajor };
    throw goNotFound(`no go.mod declares ${module.path}`);
  }

  /** A pseudo-version has to say what its commit says, otherwise one commit would have many versions. */
  async function ofPseudo(module: GoModule, version: string): Promise<SourceCommit> {
    const { time, revision, base } = readPseudoVersion(version) ?? { time: '', revision: '', base: undefined };
    const commit = await commitOf(revision);
    if (!commit.sha.startsWith(revision)) throw goNotFound(`unknown revision ${revision}`);
    if (pseudoTime(commit.committedAt) !== time) throw goNotFound(`${version} does not match the time of its commit`);
    if (base !== undefined && !(await tagged(module, commit.sha)).some(({ name }) => name === base))
      throw goNotFound(`${version}: ${base} is no tag of its history`);
    return commit;
  }

  /** The version of a commit: that of its highest tag, else one made of the highest tag before it. */
  async function versionOf(module: GoModule, { sha, committedAt }: SourceCommit): Promise<string> {
    const before = (await tagged(module, sha)).filter(({ name }) => fitsMajor(name, module.major));
    const own = before.filter(({ commitSha }) => commitSha === sha).map(({ name }) => name);
    return (
      inOrder(own).at(-1) ??
      pseudoVersion({ sha, committedAt }, inOrder(before.map(({ name }) => name)).at(-1), module.major)
    );
  }

  async function find(module: GoModule, version: string): Promise<FoundVersion> {
    if (!isVersion(version) || !fitsMajor(version, module.major)) throw goNotFound(`unknown version ${version}`);
    const commit =
      readPseudoVersion(version) === undefined
        ? await commitOf(`refs/tags/${prefixOf(module)}${tagOf(version)}`)
        : await ofPseudo(module, version);
    return { version, commit, ...(await declared(module, commit, version)) };
  }

  /** Tags of a repository without modules whose major version its path does not say. */
  async function incompatibleOf(module: GoModule, tags: readonly SourceTag[]): Promise<string[]> {
    if (module.major !== 0 || module.folder !== '') return [];
    const others = tags.filter(({ name }) => fitsMajor(asIncompatible(name), 0)).slice(0, mostProbes);
    const found = await source.files(
      others.map(({ commitSha }) => ({ commitSha, path: 'go.mod' })),
      0,
    );
    return others.filter((_tag, index) => found[index]?.size === undefined).map(({ name }) => asIncompatible(name));
  }

  async function list(module: GoModule): Promise<string[]> {
    const tags = await tagged(module);
    const own = tags.map(({ name }) => name).filter((name) => fitsMajor(name, module.major));
    return inOrder([...own, ...(await incompatibleOf(module, tags))]);
  }

  async function query(module: GoModule, revision: string): Promise<FoundVersion> {
    const commit = await commitOf(revision);
    const version = await versionOf(module, commit);
    return { version, commit, ...(await declared(module, commit, version)) };
  }

  return {
    /** Versions of a module that tags name, from the lowest to the highest; those of commits are not among them. */
    list,

    /** A version of a module. Fails with `not_found`. */
    find,

    /** A version, or that of the commit that a branch, tag or beginning of an id means. Fails with `not_found`. */
    info(module: GoModule, version: string): Promise<FoundVersion> {
      if (!isVersion(version)) return query(module, version);
      // Go asks for a tag as it was written; that it has no go.mod is found out here.
      const other = asIncompatible(version);
      const isOther = !fitsMajor(version, module.major) && isVersion(other) && fitsMajor(other, module.major);
      return find(module, isOther ? other : version);
    },

    /** The version that is taken where none is named: the highest, else that of the default branch. Fails with `not_found`. */
    async latest(module: GoModule): Promise<FoundVersion> {
      const version = latestOf(await list(module));
      return version === undefined ? query(module, '') : find(module, version);
    },

    /** The go.mod of a version; one that says its path alone where it has none. Fails with `not_found`. */
    async goMod(module: GoModule, version: string): Promise<Buffer> {
      const { goMod } = await find(module, version);
      return goMod ?? Buffer.from(`module ${module.path}\n`);
    },

    /** The files of a version, in the order of the zip. Fails with `not_found`, also for what can be no module. */
    async files(module: GoModule, version: string): Promise<ZippedFile[]> {
      const { commit, folder, goMod } = await find(module, version);
      const entries: ModuleEntry[] = [];
      for await (const some of source.tree(commit.sha, folder)) {
        entries.push(...some);
        if (entries.length > moduleBounds.files) throw goNotFound('the module is too large');
      }
      if (folder !== '' && !entries.some(({ path }) => path === 'LICENSE')) entries.push(...(await licenseOf(commit)));
      const chosen = moduleFiles(entries, goMod !== undefined && isGo124(goMod.toString()));
      if ('problem' in chosen) throw goNotFound(chosen.problem);
      return chosen.files.map((file) => ({ ...file, name: `${module.path}@${version}/${file.path}` }));
    },

    /** Contents of files, one after another. */
    contents: (files: readonly ZippedFile[], signal: AbortSignal) =>
      source.blobs(
        files.map(({ sha }) => sha),
        signal,
      ),
  };

  /** A module in a folder goes under the licence of its repository where it has none of its own. */
  async function licenseOf({ sha: commitSha }: SourceCommit): Promise<ModuleEntry[]> {
    const path = 'LICENSE';
    const [found] = await source.files([{ commitSha, path }], 0);
    return found?.size === undefined ? [] : [{ path, mode: '100644', sha: found.sha, size: found.size }];
  }
}

/** What `goModules` gives. */
export type GoModules = ReturnType<typeof goModules>;
