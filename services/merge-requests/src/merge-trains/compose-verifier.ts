import { repeat } from '@switchyard/background';
import { type Closable, command } from '@switchyard/service';
import { counter, gauge } from '@switchyard/telemetry';
import { dataVariables, type Edges } from '../edges';
import { dividedStorages, type Repositories, repositoriesOf } from '../repositories';
import { landingVerifier } from './application/verify-landings';
import { landingReceiptStore } from './storage/landing-receipt.store';
import { reportLandings } from './transport/verify-landings.command';

/** Milliseconds between two searches for landings that no one has verified. */
const verifyEveryMs = 60_000;
/** Landings verified in one run: some seconds of one core at the most. */
const verifiedAtOnce = 200;

const countVerified = counter({
  name: 'switchyard_landings_verified_total',
  help: 'Landings compared with their receipts',
});

/** Verifies landings in the background and measures it. Safe in several processes at once. */
export function startVerifyingLandings(
  { config, db, clock }: Pick<Edges, 'config' | 'db' | 'clock'>,
  { repositoryOf }: Pick<Repositories, 'repositoryOf'>,
): Closable {
  const receipts = landingReceiptStore(db, dividedStorages(config));
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
  return {
    async close() {
      unmeasure();
      await verifying.close();
    },
  };
}

/** The sub-command `verify-landings`; see `reportLandings`. */
export const verifyLandings = command({
  usage: '[--all]',
  variables: dataVariables,
  run({ config, db, write }, args) {
    const receipts = landingReceiptStore(db, dividedStorages(config));
    const repositoryOf = repositoriesOf(db, config);
    const verifier = landingVerifier({ receipts, repositoryOf, clock: () => new Date() });
    return reportLandings({ receipts, verifier, write }, args);
  },
});
