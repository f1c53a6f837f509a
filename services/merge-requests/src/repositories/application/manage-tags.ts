import { forbidden, invalid, notFound } from '@switchyard/errors';
import {
  getTag,
  listTags,
  type Page,
  parseTagName,
  type RefPage,
  readRefs,
  readTags,
  resolveRevision,
  type Sha,
  type Tag,
  tagNameOf,
  tagRef,
  writeTag,
  zeroSha,
} from '../../git';
import { isProtectedTag, type ProtectedTag, refusalOfTag, refusalOfTagRemoval } from '../domain/protected-tag';
import type { RepositoryActor } from './manage-branches';
import type { OpenProjectRepository, Repositories } from './open-project-repository';
import type { ChangeRefs } from './ref-change';

/** What tags need. */
export interface TagEdges {
  readonly open: OpenProjectRepository;
  readonly changeRefs: ChangeRefs;
  readonly protectedTags: { all(projectId: number): Promise<ProtectedTag[]> };
  readonly repositories: Pick<Repositories, 'committer'>;
}

/** Tags of a project by their names; those that do not exist are left out. A constant number of git processes. */
export type TagsByName = (projectId: number, names: readonly string[]) => Promise<ReadonlyMap<string, Tag>>;

/** How tags are sorted. */
export type TagSort = NonNullable<RefPage['sort']> | 'version_asc' | 'version_desc';

const byVersion = new Intl.Collator('en', { numeric: true });

/** Tags: list, get, create, delete. */
export function manageTags({ open, changeRefs, protectedTags, repositories }: TagEdges) {
  return {
    /** Whether each of some tags of a project is protected: one statement. */
    async protection(projectId: number): Promise<(tag: Tag) => boolean> {
      const rules = await protectedTags.all(projectId);
      return ({ name }) => isProtectedTag(rules, name);
    },

    /** A page of tags. By version, `v1.10` comes after `v1.9`. */
    async list(projectId: number, place: Omit<RefPage, 'sort'> & { sort: TagSort }): Promise<Page<Tag>> {
      const { repo } = await open(projectId);
      const { sort } = place;
      if (sort !== 'version_asc' && sort !== 'version_desc') return listTags(repo, { ...place, sort });
      const { items: all } = await listTags(repo, { search: place.search, limit: Number.MAX_SAFE_INTEGER });
      all.sort((a, b) => byVersion.compare(a.name, b.name) * (sort === 'version_asc' ? 1 : -1));
      const start =
        place.after === undefined ? (place.offset ?? 0) : all.findIndex(({ name }) => name === place.after) + 1;
      const items = all.slice(start, start + (place.limit ?? 20));
      return { items, total: all.length, next: start + items.length < all.length ? items.at(-1)?.name : undefined };
    },

    /** See `TagsByName`. */
    async byName(projectId: number, names: readonly string[]): Promise<ReadonlyMap<string, Tag>> {
      const { repo } = await open(projectId);
      return readTags(
        repo,
        names.flatMap((name) => tagNameOf(name) ?? []),
      );
    },

    /** One tag. */
    async get(projectId: number, name: string): Promise<Tag> {
      const { repo } = await open(projectId);
      const parsed = tagNameOf(name);
      const tag = parsed === undefined ? undefined : await getTag(repo, parsed);
      if (tag === undefined) throw notFound('Tag');
      return tag;
    },

    /**
     * Makes a tag at a branch, tag or commit; annotated when there is a message. @throws AppError forbidden where a
     * rule on tags says so
     */
    async create(
      projectId: number,
      actor: RepositoryActor,
      { name, ref, message }: { name: string; ref: string; message: string },
    ): Promise<Tag> {
      const { repo } = await open(projectId);
      const parsed = parseTagName(name);
      const wanted = tagRef(parsed);
      const refusal = refusalOfTag(await protectedTags.all(projectId), parsed, actor.access);
      if (refusal !== undefined) throw forbidden(refusal);
      if ((await readRefs(repo, [wanted])).has(wanted)) throw invalid(`Tag ${name} already exists`);
      const revision = await resolveRevision(repo, ref);
      if (revision === undefined) throw invalid(`Target ${ref} is invalid`);
      let after: Sha = revision.sha;
      if (message.trim() !== '') {
        const { name: tagger, email } = await repositories.committer(actor.userId);
        after = await writeTag(repo, {
          name: parsed,
          target: revision.sha,
          tagger: { name: tagger, email, date: new Date() },
          message,
        });
      }
      const [outcome] = await changeRefs({
        projectId,
        actorId: actor.userId,
        source: 'api',
        updates: [{ ref: wanted, before: zeroSha, after }],
      });
      if (outcome?.status === 'stale') {
        const exists = (await readRefs(repo, [wanted])).has(wanted);
        throw invalid(exists ? `Tag ${name} already exists` : outcome.reason);
      }
      const made = await getTag(repo, parsed);
      if (made === undefined) throw notFound('Tag');
      return made;
    },

    /** Removes a tag. @throws AppError forbidden below Maintainer for a protected one */
    async remove(projectId: number, actor: RepositoryActor, name: string): Promise<void> {
      const { repo } = await open(projectId);
      const parsed = tagNameOf(name);
      const found = parsed === undefined ? undefined : (await readRefs(repo, [tagRef(parsed)])).get(tagRef(parsed));
      if (found === undefined) throw notFound('Tag');
      const refusal = refusalOfTagRemoval(await protectedTags.all(projectId), name, actor.access);
      if (refusal !== undefined) throw forbidden(refusal);
      const [outcome] = await changeRefs({
        projectId,
        actorId: actor.userId,
        source: 'api',
        updates: [{ ref: found.ref, before: found.sha, after: zeroSha }],
      });
      if (outcome?.status === 'stale') throw invalid('The tag has changed meanwhile.');
    },
  };
}

/** What `manageTags` gives. */
export type ManageTags = ReturnType<typeof manageTags>;
