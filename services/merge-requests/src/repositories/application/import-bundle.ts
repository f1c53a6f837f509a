import { faultPoint, faultPoints } from '@switchyard/events';
import { refKind, runToCompletion, unpackBundle } from '../../git';
import type { OpenProjectRepository } from './open-project-repository';
import { type ImportPlace, placeHeads, placeRefs, pointingRight } from './place-imported-refs';
import type { ChangeRefs } from './ref-change';
import type { Wikis } from './wikis';

faultPoints.push('bundle_import.unpacked', 'bundle_import.refs_moved', 'bundle_import.heads_moved');

/** Gives a bundle of an import as it comes; nothing where the archive has none. Fails with `not_found`. */
export type ReadBundle = (importKey: string, wiki: boolean, signal: AbortSignal) => AsyncIterable<Uint8Array>;

const isHead = (ref: string): boolean => /^refs\/merge-requests\/[1-9]\d{0,8}\/head$/.test(ref);

/** Brings the repository of an archive in, or its wiki; see RepositoryImportService. */
export const importBundle =
  ({
    open,
    changeRefs,
    wikis,
    readBundle,
  }: {
    readonly open: OpenProjectRepository;
    readonly changeRefs: ChangeRefs;
    readonly wikis: Pick<Wikis, 'open' | 'changeRefs'>;
    readonly readBundle: ReadBundle;
  }) =>
  async (
    place: ImportPlace,
    { importKey, wiki }: { readonly importKey: string; readonly wiki: boolean },
    signal: AbortSignal,
  ): Promise<{ readonly refs: number; readonly skipped: number }> => {
    const { repo } = await open(place.projectId);
    // As the import of a forge: work of the background that ends with its caller.
    return runToCompletion(async () => {
      const found = await unpackBundle(
        async () => (wiki ? wikis.open(place.projectId) : repo),
        readBundle(importKey, wiki, signal),
        { signal },
      );
      if (found === undefined) return { refs: 0, skipped: 0 };
      const { refs, skipped } = found;
      faultPoint('bundle_import.unpacked');
      const right = await pointingRight(
        found.repo,
        refs.filter(({ ref }) => isHead(ref) || refKind(ref).kind !== 'other'),
      );
      const heads = right.filter(({ ref }) => isHead(ref));
      const others = right.filter(({ ref }) => !isHead(ref));
      const change = wiki ? wikis.changeRefs : changeRefs;
      const { stale } = await placeRefs(change, found.repo, place, others, () =>
        faultPoint('bundle_import.refs_moved'),
      );
      // Those of merge requests are refs of the code.
      if (!wiki) await placeHeads(changeRefs, repo, place.projectId, heads);
      faultPoint('bundle_import.heads_moved');
      const left = skipped + refs.length - right.length + stale;
      return { refs: refs.length + skipped - left, skipped: left };
    });
  };
