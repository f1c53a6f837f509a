import { isAncestor, type Repository, readCommits, type Sha, shaOf } from '../../git';
import type { BatchMember, BatchMove, LandingReceipt } from '../domain/landing-receipt';

/** Most merge requests that are tested together. */
const mostMembers = 10;

const short = (sha: string | undefined): string => sha?.slice(0, 12) ?? 'none';

/** The receipts of a batch in the order that the batch names; undefined for one that is missing. */
const inOrder = (
  { batchIids }: LandingReceipt,
  members: readonly BatchMember[],
): readonly (BatchMember | undefined)[] =>
  batchIids.map((iid) => members.find(({ mergeRequestIid }) => mergeRequestIid === iid));

function memberDifferences(receipt: LandingReceipt, { mergeRequestIid: iid, ...member }: BatchMember): string[] {
  const differences: string[] = [];
  if (member.testedSha !== receipt.testedSha || member.testedTree !== receipt.testedTree)
    differences.push(`!${iid} of the batch was tested as ${short(member.testedSha)}`);
  if (member.pipelineId !== receipt.pipelineId) differences.push(`!${iid} of the batch has another pipeline`);
  if (member.batchIids.join() !== receipt.batchIids.join()) differences.push(`!${iid} names another batch`);
  return differences;
}

/**
 * What contradicts itself in the receipts of a batch: each of its merge requests has one, all name the same tested
 * commit and pipeline, each landed on the one before, and the last one's commit is what was tested.
 */
export function batchDifferences(receipt: LandingReceipt, members: readonly BatchMember[]): string[] {
  const { batchIids, mergeRequestIid } = receipt;
  if (batchIids.length < 2 || batchIids.length > mostMembers || new Set(batchIids).size < batchIids.length) {
    return [`no batch consists of ${batchIids.map((iid) => `!${iid}`).join(', ')}`];
  }
  if (!batchIids.includes(mergeRequestIid)) return ['the batch does not name its merge request'];
  const ordered = inOrder(receipt, members);
  const differences: string[] = [];
  ordered.forEach((member, at) => {
    const before = ordered[at - 1];
    if (member === undefined) differences.push(`!${batchIids[at]} of the batch has no receipt`);
    else differences.push(...memberDifferences(receipt, member));
    if (member !== undefined && before !== undefined && member.baseSha !== before.landedSha)
      differences.push(`!${member.mergeRequestIid} of the batch does not lie on !${before.mergeRequestIid}`);
  });
  const last = ordered.at(-1);
  if (last !== undefined && last.landedSha !== receipt.testedSha)
    differences.push(`${short(receipt.testedSha)} was tested, and ${short(last.landedSha)} is the last of the batch`);
  if (last !== undefined && last.landedTree !== receipt.testedTree)
    differences.push('another tree was tested than the last of the batch has');
  return differences;
}

/**
 * What git contradicts of a batch: from the landed commit to the tested one there are the commits of the members behind
 * it alone, in their order. That each of those holds its own source alone is verified with its own receipt.
 */
export async function chainDifferences(
  repo: Repository,
  receipt: LandingReceipt,
  members: readonly BatchMember[],
): Promise<string[]> {
  const own = receipt.batchIids.indexOf(receipt.mergeRequestIid);
  const behind = inOrder(receipt, members).slice(own + 1);
  let below = shaOf(receipt.landedSha);
  for (const member of behind) {
    const landed = member && shaOf(member.landedSha);
    // Said already: there is no such receipt, or it names no commit.
    if (member === undefined || landed === undefined || below === undefined) return [];
    if (!(await liesOn(repo, member, landed, below)))
      return [`${short(landed)} of !${member.mergeRequestIid} does not lie on ${short(below)}`];
    below = landed;
  }
  return below === receipt.testedSha ? [] : [`the tested commit is not reached from ${short(receipt.landedSha)}`];
}

async function liesOn(repo: Repository, { method }: BatchMember, landed: Sha, below: Sha): Promise<boolean> {
  if (method === 'ff') return isAncestor(repo, below, landed);
  const [commit] = await readCommits(repo, [landed]);
  return commit?.parents[0] === below;
}

/** The base of a batch, and the commits of its members. */
export function commitsOf(
  receipt: LandingReceipt,
  members: readonly BatchMember[],
): { readonly base: string; readonly commits: readonly string[] } {
  const ordered = inOrder(receipt, members);
  return {
    base: ordered[0]?.baseSha ?? receipt.baseSha,
    commits: ordered.flatMap((member) => member?.landedSha ?? []),
  };
}

/**
 * What the record of ref changes contradicts of a batch: the branch moved once, from its base to the tested commit, and
 * no landing left it at a commit in between, which was not tested. A user may have pushed the commits by hand before;
 * that is theirs to do.
 * @param moves those away from the base of the batch, or to one of its commits
 */
export function moveDifferences(
  receipt: LandingReceipt,
  members: readonly BatchMember[],
  moves: readonly BatchMove[],
): string[] {
  const { base, commits } = commitsOf(receipt, members);
  const untested = moves.filter(({ after, lands }) => lands && after !== receipt.testedSha && commits.includes(after));
  const differences = untested.map(({ after }) => `the branch stood at ${short(after)}, which was not tested`);
  const moved = moves.some(({ before, after }) => before === base && after === receipt.testedSha);
  if (moved || moves.some(({ lands }) => !lands)) return differences;
  return [...differences, `the branch did not move from ${short(base)} to ${short(receipt.testedSha)} at once`];
}
