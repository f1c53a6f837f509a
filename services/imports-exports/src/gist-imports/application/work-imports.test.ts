import type { ForgeGist } from '../../forges';
import type { GistImportLease, GistPlace, GistResult } from '../domain/gist-import';
import { type WorkingEdges, workGistImports } from './work-imports';

jest.useFakeTimers();
afterAll(() => jest.useRealTimers());

const gist = (id: string): ForgeGist =>
  ({ id, description: id, fileNames: ['a'], webUrl: `https://forge/${id}` }) as never;

/** One worker over imports by author, of which each gist takes some seconds, until all have ended. */
async function worked(
  imports: Readonly<Record<number, { readonly gists: readonly string[]; readonly seconds: number }>>,
) {
  const made: string[] = [];
  const saved: [number, GistPlace, GistResult][] = [];
  const waiting = Object.keys(imports).map((id) => ({ id: Number(id), place: { page: 1, brought: 0 } }));
  const left = new Set(waiting.map(({ id }) => id));
  const edges = {
    imports: {
      async claim() {
        const one = waiting.shift();
        const common = { host: String(one?.id), token: '', attempt: 1, lease: '', askedAt: new Date() };
        return one && { ...common, ...one, authorId: one.id };
      },
      extend: async () => true,
      release: async ({ id }: GistImportLease) => {
        waiting.push({ id, place: saved.filter(([of]) => of === id).at(-1)?.[1] ?? { page: 1, brought: 0 } });
      },
      async save({ id }: GistImportLease, place: GistPlace, result: GistResult) {
        saved.push([id, place, result]);
        return true;
      },
      end: async ({ id }: GistImportLease) => left.delete(id),
    },
    forges: {
      open: (host: string) => ({
        gists: async () => ({ items: (imports[Number(host)]?.gists ?? []).map(gist), isLast: true }),
        gistFiles: () =>
          new Promise((settle) => {
            setTimeout(() => settle([{ name: 'a', content: 'a' }]), (imports[Number(host)]?.seconds ?? 0) * 1_000);
          }),
      }),
    },
    importSnippet: async (_author: number, { id }: ForgeGist) => void made.push(id),
  } as unknown as WorkingEdges;
  const working = workGistImports(edges);
  while (left.size > 0) await jest.advanceTimersByTimeAsync(1_000);
  await working.close();
  return { made, saved };
}

it('an import is given back after its turn of a minute, and goes on in the middle of its page', async () => {
  const { made, saved } = await worked({
    1: { gists: ['s1', 's2', 's3', 's4', 's5'], seconds: 31 },
    2: { gists: ['f1', 'f2'], seconds: 1 },
  });
  expect(made).toEqual(['s1', 's2', 'f1', 'f2', 's3', 's4', 's5']);
  const places = saved.map(([id, { page, brought }, { imported }]) => [id, page, brought, imported]);
  expect(places).toEqual([
    [1, 1, 2, 2],
    [2, 2, 0, 2],
    [1, 1, 4, 2],
    [1, 2, 0, 1],
  ]);
});

it('a gist that its forge does not send in two minutes is left out', async () => {
  const { made, saved } = await worked({ 1: { gists: ['slow'], seconds: 121 }, 2: { gists: ['fast'], seconds: 119 } });
  expect(made).toEqual(['fast']);
  const skipped = [{ title: 'slow', url: 'https://forge/slow', reason: 'the forge sends it too slowly' }];
  expect(saved.map(([, , result]) => result)).toEqual([
    { imported: 0, skipped },
    { imported: 1, skipped: [] },
  ]);
});
