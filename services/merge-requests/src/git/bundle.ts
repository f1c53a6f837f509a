import { type GitOptions, type Repository, streamGit } from './run-git';

// Whoever takes the output may be slow; a client that disconnects ends the process before.
const transfer: GitOptions = { timeoutMs: 1_800_000, cpuSeconds: 600 };

/** What a bundle holds: the heads of merge requests keep what no branch has any more. */
const bundled = ['refs/heads', 'refs/tags', 'refs/merge-requests/*/head'];

/** A git bundle of all branches and tags and of the heads of merge requests, as it comes; nothing where there are none. */
export async function* bundleRepository(repo: Repository): AsyncGenerator<Buffer> {
  let isEmpty = true;
  // git makes no bundle of nothing, and says so as it says that something went wrong.
  for await (const _ of streamGit(repo, ['for-each-ref', '--count=1', '--format=%(refname)', '--', ...bundled]))
    isEmpty = false;
  if (isEmpty) return;
  yield* streamGit(repo, ['bundle', 'create', '-', ...bundled.map((glob) => `--glob=${glob}`)], transfer);
}
