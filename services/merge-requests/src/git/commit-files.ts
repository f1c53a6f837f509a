import { invalid } from '@switchyard/errors';
import { commitObject, listCommits, type Signature } from './commits';
import { emptyTreeSha, namesGitFolder, parseTreePath, type Sha, type TreePath } from './names';
import { type NewObject, ObjectReader, objectSha, writeObjects } from './objects';
import type { GitOptions, Repository } from './run-git';

/** One change of a commit made through the API. Paths are the caller's text and are parsed here. */
export type FileAction =
  | { action: 'create'; path: string; content: Buffer; executable?: boolean }
  | { action: 'update'; path: string; content: Buffer; lastCommit?: Sha; executable?: boolean }
  | { action: 'delete'; path: string; lastCommit?: Sha }
  | { action: 'move'; path: string; previousPath: string; content?: Buffer; lastCommit?: Sha; executable?: boolean }
  | { action: 'chmod'; path: string; executable: boolean; lastCommit?: Sha };

/** What a commit is made of. */
export interface CommitFilesInput {
  /** The commit to build on; `undefined` makes a root commit. */
  parent: Sha | undefined;
  actions: readonly FileAction[];
  author: Signature;
  committer: Signature;
  message: string;
}

const texts = {
  exists: 'A file with this name already exists',
  folder: 'A directory with this name already exists',
  missing: "A file with this name doesn't exist",
  changed: 'You are attempting to update a file that has changed since you started editing it.',
} as const;

/**
 * Applies the actions in order to the parent's tree and stores the commit; returns its id. Moves no ref.
 * Throws `invalid` with GitLab's text for a file that is or is not there, and for paths that climb or name `.git`.
 *
 * Trees are edited here and stored by one `unpack-objects`, so the cost follows the folders touched
 * and not the size of the repository, as a temporary index would.
 */
export async function commitFiles(repo: Repository, input: CommitFilesInput, options: GitOptions = {}): Promise<Sha> {
  if (input.parent) await refuseStaleEdits(repo, input.parent, input.actions, options);
  const reader = await ObjectReader.open(repo, options);
  try {
    const root = new Folder(reader, await rootTree(reader, input.parent));
    const blobs: NewObject[] = [];
    for (const action of input.actions) await apply(root, action, blobs);
    const trees: NewObject[] = [];
    const tree = root.store(trees);
    const { author, committer, message } = input;
    const commit = commitObject({ tree, parents: input.parent ? [input.parent] : [], author, committer, message });
    // The empty tree is known to git but not stored, and a commit of it must still be whole.
    await writeObjects(repo, distinct([...blobs, ...trees, commit]), options);
    return objectSha(commit);
  } finally {
    reader.close();
  }
}

/** The first commit of a project, holding a README of the given text. */
export async function createInitialCommit(
  repo: Repository,
  input: { readme: string; author: Signature; committer: Signature; message?: string },
  options: GitOptions = {},
): Promise<Sha> {
  return commitFiles(
    repo,
    {
      parent: undefined,
      actions: [{ action: 'create', path: 'README.md', content: Buffer.from(input.readme) }],
      author: input.author,
      committer: input.committer,
      message: input.message ?? 'Initial commit',
    },
    options,
  );
}

function distinct(objects: readonly NewObject[]): NewObject[] {
  return [...new Map(objects.map((object) => [objectSha(object), object])).values()];
}

async function refuseStaleEdits(
  repo: Repository,
  parent: Sha,
  actions: readonly FileAction[],
  options: GitOptions,
): Promise<void> {
  for (const action of actions) {
    if (action.action === 'create' || action.lastCommit === undefined) continue;
    const path = writablePath(action.action === 'move' ? action.previousPath : action.path);
    const [last] = await listCommits(repo, { from: [parent], path, limit: 1 }, options);
    if (last && last.id !== action.lastCommit) throw invalid(texts.changed);
  }
}

async function rootTree(reader: ObjectReader, parent: Sha | undefined): Promise<Sha | undefined> {
  if (!parent) return undefined;
  const [commit] = await reader.read([parent]);
  if (commit?.type !== 'commit') throw new Error(`no commit ${parent}`);
  return commit.content.toString('latin1', 'tree '.length, 'tree '.length + 40) as Sha;
}

function writablePath(text: string): TreePath {
  const path = parseTreePath(text);
  if (namesGitFolder(path)) throw invalid(`invalid path: '${text}'`);
  return path;
}

async function apply(root: Folder, action: FileAction, blobs: NewObject[]): Promise<void> {
  const path = writablePath(action.path);
  const blobOf = (content: Buffer): Sha => {
    const blob: NewObject = { type: 'blob', content };
    blobs.push(blob);
    return objectSha(blob);
  };
  switch (action.action) {
    case 'create':
      await root.add(path, { mode: action.executable ? '100755' : '100644', sha: blobOf(action.content) });
      return;
    case 'update': {
      const file = await root.file(path);
      const mode = action.executable === undefined ? file.mode : withExecutable(file.mode, action.executable);
      await root.replace(path, { mode, sha: blobOf(action.content) });
      return;
    }
    case 'delete':
      await root.file(path);
      await root.remove(path);
      return;
    case 'move': {
      const previous = writablePath(action.previousPath);
      const file = await root.file(previous);
      await root.remove(previous);
      const mode = action.executable === undefined ? file.mode : withExecutable(file.mode, action.executable);
      await root.add(path, { mode, sha: action.content === undefined ? file.sha : blobOf(action.content) });
      return;
    }
    case 'chmod': {
      const file = await root.file(path);
      await root.replace(path, { ...file, mode: withExecutable(file.mode, action.executable) });
    }
  }
}

// A symbolic link or a submodule has no execute bit.
const withExecutable = (mode: string, executable: boolean): string =>
  mode === '100644' || mode === '100755' ? (executable ? '100755' : '100644') : mode;

interface FileEntry {
  mode: string;
  sha: Sha;
}

type Entry = FileEntry | Folder;

/**
 * A tree being edited. Entries are keyed by the bytes of their names, read as latin1, so that no name is bent on the
 * way.
 */
class Folder {
  private entries: Map<string, Entry> | undefined;
  private changed = false;

  constructor(
    private readonly reader: ObjectReader,
    private readonly original: Sha | undefined,
  ) {}

  async file(path: TreePath): Promise<FileEntry> {
    const { folder, name } = await this.find(path);
    const entry = folder && (await folder.load()).get(name);
    if (!entry || entry instanceof Folder) throw invalid(texts.missing);
    return entry;
  }

  async add(path: TreePath, file: FileEntry): Promise<void> {
    const { folder, name } = await this.find(path, true);
    const present = (await folder!.load()).get(name);
    if (present) throw invalid(present instanceof Folder ? texts.folder : texts.exists);
    folder!.set(name, file);
  }

  async replace(path: TreePath, file: FileEntry): Promise<void> {
    const { folder, name } = await this.find(path);
    folder!.set(name, file);
  }

  /** Removes a file; a folder left empty disappears when the trees are stored. */
  async remove(path: TreePath): Promise<void> {
    const { folder, name } = await this.find(path);
    folder!.entries!.delete(name);
    this.markChanged(folder!);
    await this.prune(path);
  }

  /** Collects this tree and those under it that changed; returns this tree's id. */
  store(into: NewObject[]): Sha {
    if (!this.entries || !this.isChanged()) return this.original ?? this.storeContent(into, Buffer.alloc(0));
    const rows = [...this.entries].map(([name, entry]) =>
      entry instanceof Folder
        ? { key: `${name}/`, name, mode: '40000', sha: entry.store(into) }
        : { key: name, name, mode: entry.mode, sha: entry.sha },
    );
    rows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const content = Buffer.concat(
      rows.flatMap(({ mode, name, sha }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(sha, 'hex')]),
    );
    return this.storeContent(into, content);
  }

  private storeContent(into: NewObject[], content: Buffer): Sha {
    const tree: NewObject = { type: 'tree', content };
    into.push(tree);
    return objectSha(tree);
  }

  private isChanged(): boolean {
    return (
      this.changed || [...(this.entries?.values() ?? [])].some((entry) => entry instanceof Folder && entry.isChanged())
    );
  }

  private set(name: string, entry: Entry): void {
    this.entries!.set(name, entry);
    this.changed = true;
  }

  private markChanged(folder: Folder): void {
    folder.changed = true;
  }

  private async prune(path: TreePath): Promise<void> {
    const parts = bytesOf(path).split('/').slice(0, -1);
    const chain: Folder[] = [this];
    for (const part of parts) {
      const next = (await chain.at(-1)!.load()).get(part);
      if (!(next instanceof Folder)) return;
      chain.push(next);
    }
    for (let depth = chain.length - 1; depth > 0; depth--) {
      if ((await chain[depth]!.load()).size > 0) return;
      chain[depth - 1]!.entries!.delete(parts[depth - 1]!);
      chain[depth - 1]!.changed = true;
    }
  }

  private async find(path: TreePath, create = false): Promise<{ folder: Folder | undefined; name: string }> {
    const parts = bytesOf(path).split('/');
    const name = parts.pop()!;
    let folder: Folder = this;
    for (const part of parts) {
      const entries = await folder.load();
      let next = entries.get(part);
      if (next && !(next instanceof Folder)) {
        if (create) throw invalid(texts.exists);
        return { folder: undefined, name };
      }
      if (!next) {
        if (!create) return { folder: undefined, name };
        next = new Folder(this.reader, undefined);
        folder.set(part, next);
      }
      folder = next;
    }
    return { folder, name };
  }

  private async load(): Promise<Map<string, Entry>> {
    if (this.entries) return this.entries;
    const entries = new Map<string, Entry>();
    this.entries = entries;
    if (this.original === undefined || this.original === emptyTreeSha) return entries;
    const [tree] = await this.reader.read([this.original]);
    if (tree?.type !== 'tree') throw new Error(`no tree ${this.original}`);
    let at = 0;
    while (at < tree.content.length) {
      const space = tree.content.indexOf(32, at);
      const end = tree.content.indexOf(0, space);
      const mode = tree.content.toString('latin1', at, space);
      const name = tree.content.toString('latin1', space + 1, end);
      const sha = tree.content.toString('hex', end + 1, end + 21) as Sha;
      entries.set(name, Number.parseInt(mode, 8) === 0o40000 ? new Folder(this.reader, sha) : { mode, sha });
      at = end + 21;
    }
    return entries;
  }
}

const bytesOf = (path: TreePath): string => Buffer.from(path).toString('latin1');
