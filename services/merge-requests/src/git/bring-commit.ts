import { join } from 'node:path';
import { unprocessable } from '@switchyard/errors';
import { runToCompletion } from './git-work';
import type { Sha } from './names';
import { PacketReader } from './pkt-line';
import { isConnected } from './receive-pack';
import { migrateObjects, withObjectArea } from './repository';
import { GitCommandError, type GitOptions, gitText, type Repository, startGit } from './run-git';
import { unpackPush } from './unpack-push';

/** Milliseconds for the objects of one commit to come over. */
const bringTimeoutMs = 600_000;
/** Branches of the receiving side, the newest, whose history is not sent again. */
const knownBranches = 500;

/**
 * Brings a commit and all it reaches from one repository into another, as a push would: a pack of what the branches of
 * the receiver lack goes through its check of each object into a quarantine, and is moved over once nothing is missing
 * there. Moves no ref; the giver is only read. Repeatable: what is there already stays. The objects stay without a ref
 * too, since maintenance drops none.
 * @param known commits of the receiver that no branch of it may reach: their history is not sent again either
 * @throws AppError unprocessable when the objects are refused or not whole
 */
export async function bringCommit(
  from: Repository,
  into: Repository,
  sha: Sha,
  { timeoutMs = bringTimeoutMs, known = [], ...rest }: GitOptions & { readonly known?: readonly Sha[] } = {},
): Promise<void> {
  const options = { ...rest, timeoutMs };
  await withObjectArea(into, async (area) => {
    const branches = await gitText(
      into,
      [
        'for-each-ref',
        `--count=${knownBranches}`,
        '--sort=-creatordate',
        '--format=^%(objectname)',
        '--',
        'refs/heads/',
      ],
      options,
    );
    // One process sees both stores, so that it finds what they share; no one is served from such a view.
    const both = {
      path: from.path,
      objects: { directory: join(from.path, 'objects'), alternates: [join(into.path, 'objects')] },
    };
    const child = await startGit(both, ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q'], {
      ...options,
      cpuSeconds: Math.ceil(timeoutMs / 1_000),
    });
    try {
      child.stdin.end(`${[sha, ...known.map((one) => `^${one}`)].join('\n')}\n${branches}`);
      const reader = new PacketReader(child.stdout, 0, { idleMs: timeoutMs, until: Date.now() + timeoutMs });
      const problem = await unpackPush(area, reader, {}, options, () => undefined).catch(async (cause: unknown) => {
        const { code, stderr } = await child.ended;
        throw code === 0 ? cause : new GitCommandError('pack-objects', code, stderr);
      });
      const { code, stderr } = await child.ended;
      if (code !== 0) throw new GitCommandError('pack-objects', code, stderr);
      if (problem !== undefined || !(await isConnected(area, [{ new: sha }], options))) {
        throw unprocessable('The commits of the source branch cannot be brought into the target project');
      }
    } finally {
      child.stop();
    }
    await runToCompletion(() => migrateObjects(area));
  });
}
