import { join } from 'node:path';
import { parseEnvironment, serviceVariables, z } from '@switchyard/config';
import { assertMigrated, type Database, openDatabase } from '@switchyard/database';
import { repeat } from '@switchyard/rpc';
import { counter, gauge } from '@switchyard/telemetry';
import { openRepository, type Repository } from './git';
import { type LandingVerdict, landingVerifier } from './merge-trains/application/verify-landings';
import { landingReceiptStore } from './merge-trains/storage/landing-receipt.store';
import { migrationSets } from './migrations';

/** Milliseconds between two looks for landings that nobody has verified. */
const verifyEveryMs = 60_000;
/** Landings verified in one look: some seconds of one core at the most. */
const verifiedAtOnce = 200;

const clock = (): Date => new Date();
const countVerified = counter({
  name: 'switchyard_landings_verified_total',
  help: 'Landings compared with their receipts',
});

/** Verifies landings in the background and measures it; what it returns stops both. Safe in several processes at once. */
export function startVerifyingLandings(
  db: Database,
  repositoryOf: (projectId: number) => Repository,
): () => Promise<void> {
  const receipts = landingReceiptStore(db);
  const verifier = landingVerifier({ receipts, repositoryOf, clock });
  const unmeasure = gauge(
    { name: 'switchyard_landings_differing', help: 'Landings that were found to differ from their receipts' },
    async () => [{ value: await receipts.countDiffering() }],
  );
  const verifying = repeat('verifying landings', verifyEveryMs, async (stopping) => {
    for await (const _ of verifier.verify('unverified', verifiedAtOnce)) {
      countVerified();
      if (stopping.aborted) return;
    }
  });
  return async () => {
    unmeasure();
    await verifying.close();
  };
}

const variables = {
  DATABASE_URL: serviceVariables.DATABASE_URL,
  SWITCHYARD_DATA: z.string().default('.switchyard'),
};

/** Landings without a receipt that are named at the most. */
const namedWithoutReceipt = 1_000;
/** Milliseconds between two lines of progress. */
const progressMs = 2_000;

const lineOf = ({ receipt, differences }: LandingVerdict): string =>
  `differs: project ${receipt.projectId}, merge request !${receipt.mergeRequestIid}, landed as ${receipt.landedSha.slice(0, 12)} ` +
  `at ${receipt.landedAt.toISOString()} (receipt ${receipt.id}): ${differences.join('; ')}`;

/**
 * The sub-command `verify-landings [--all]`: looks at the landings that nobody has verified and at those that differed, or at all, and
 * prints a line for each that differs and a summary. Reads `DATABASE_URL` and `SWITCHYARD_DATA` alone.
 * @returns the exit code: 1 when any differs, 2 for an argument it does not know
 * @throws Error for a variable that is missing, or a database that cannot be read
 */
export async function verifyLandings(
  args: readonly string[],
  write: (line: string) => void,
  environment = process.env,
): Promise<number> {
  const strange = args.find((arg) => arg !== '--all');
  if (strange !== undefined) {
    write(`verify-landings [--all]: ${strange} is not known`);
    return 2;
  }
  const config = parseEnvironment(variables, environment);
  await assertMigrated({ url: config.DATABASE_URL, sets: migrationSets });
  const db = openDatabase({ url: config.DATABASE_URL, applicationName: 'verify-landings', poolSize: 2 });
  const root = join(config.SWITCHYARD_DATA, 'repositories');
  const receipts = landingReceiptStore(db);
  const verifier = landingVerifier({
    receipts,
    repositoryOf: (projectId) => openRepository(root, projectId),
    clock,
  });
  const [seen, differing, absent] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let saidAt = Date.now();
  let without = 0;
  try {
    for (const { carId, projectId, mergeRequestIid } of await receipts.withoutReceipt(namedWithoutReceipt)) {
      without += 1;
      write(
        `differs: project ${projectId}, merge request !${mergeRequestIid}: landed (entry ${carId}) without a receipt`,
      );
    }
    for (const look of args.includes('--all') ? (['all'] as const) : (['differing', 'unverified'] as const)) {
      for await (const verdict of verifier.verify(look)) {
        seen.add(verdict.receipt.id);
        if (verdict.differences.length > 0 && !differing.has(verdict.receipt.id)) {
          differing.add(verdict.receipt.id);
          write(lineOf(verdict));
        }
        if (verdict.remarks.length > 0) absent.add(verdict.receipt.id);
        if (Date.now() - saidAt < progressMs) continue;
        saidAt = Date.now();
        write(`… ${seen.size} landings so far`);
      }
    }
  } finally {
    await db.close();
  }
  const gone = absent.size === 0 ? '' : `, ${absent.size} no longer in their branch`;
  write(`${seen.size} landings verified, ${differing.size + without} differ${gone}`);
  return differing.size + without === 0 ? 0 : 1;
}
