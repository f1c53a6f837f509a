import type { LandingReceipts } from '../application/landing-receipts';
import type { LandingVerdict, LandingVerifier } from '../application/verify-landings';

/** Landings without a receipt that are named at the most. */
const namedWithoutReceipt = 1_000;
/** Milliseconds between two lines of progress. */
const progressMs = 2_000;

const lineOf = ({ receipt, differences }: LandingVerdict): string =>
  `differs: project ${receipt.projectId}, merge request !${receipt.mergeRequestIid}, landed as ${receipt.landedSha.slice(0, 12)} ` +
  `at ${receipt.landedAt.toISOString()} (receipt ${receipt.id}): ${differences.join('; ')}`;

/**
 * Verifies the landings that no one has verified and those that differed, or at all (`--all`), and writes a line for
 * each that differs and a summary.
 * @returns the exit code: 1 when any differs, 2 for an argument it does not know
 */
export async function reportLandings(
  {
    receipts,
    verifier,
    write,
  }: {
    readonly receipts: Pick<LandingReceipts, 'withoutReceipt'>;
    readonly verifier: LandingVerifier;
    readonly write: (line: string) => void;
  },
  args: readonly string[],
): Promise<number> {
  const unknownArgument = args.find((arg) => arg !== '--all');
  if (unknownArgument !== undefined) {
    write(`verify-landings [--all]: ${unknownArgument} is not known`);
    return 2;
  }
  const [seen, differing, absent] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let reportedAt = Date.now();
  let without = 0;
  for (const { carId, projectId, mergeRequestIid } of await receipts.withoutReceipt(namedWithoutReceipt)) {
    without += 1;
    write(
      `differs: project ${projectId}, merge request !${mergeRequestIid}: landed (entry ${carId}) without a receipt`,
    );
  }
  for (const check of args.includes('--all') ? (['all'] as const) : (['differing', 'unverified'] as const)) {
    for await (const verdict of verifier.verify(check)) {
      seen.add(verdict.receipt.id);
      if (verdict.differences.length > 0 && !differing.has(verdict.receipt.id)) {
        differing.add(verdict.receipt.id);
        write(lineOf(verdict));
      }
      if (verdict.findings.length > 0) absent.add(verdict.receipt.id);
      if (Date.now() - reportedAt < progressMs) continue;
      reportedAt = Date.now();
      write(`… ${seen.size} landings so far`);
    }
  }
  const gone = absent.size === 0 ? '' : `, ${absent.size} no longer in their branch`;
  write(`${seen.size} landings verified, ${differing.size + without} differ${gone}`);
  return differing.size + without === 0 ? 0 : 1;
}
