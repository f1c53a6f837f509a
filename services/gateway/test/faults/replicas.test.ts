import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeWithKafka } from '@switchyard/testkit';
import { makeFixture, makeReviewer } from '../e2e/support/fixture';
import { openJournal } from '../e2e/support/journal';
import { expectOneTodoPerReview, expectSettled, expectSoundRepository } from '../e2e/support/oracles';
import { expectSoundContents, formatAt, type Publication, publicationOf, publisher } from '../e2e/support/publications';
import { random, seedOfRun } from '../e2e/support/random';
import { makeTrainHarness, type Proposal } from '../e2e/support/train-harness';
import { type ReplicatedSystem, startReplicas } from './replicas/installation';
import { type Load, steadyLoad } from './replicas/load';

jest.setTimeout(3_600_000);

const minutes = Number(process.env.FAULT_MINUTES ?? 10);
const counts = (process.env.FAULT_REPLICAS ?? '2,3').split(',').map(Number);
const seed = seedOfRun();
/** Which disruptions there are; all of them without the variable. */
const kinds = process.env.FAULT_KINDS?.split(',');

/** Requests a second, and the clients that send them: enough that one is always waiting for its turn. */
const perSecond = Number(process.env.FAULT_RATE ?? 30);
const [readers, writers, uploaders] = [6, 4, 2];
/** How many services are restarted at the same time. */
const rolledAtOnce = 2;
/** Milliseconds for which a process hangs: longer than it takes its peers to find out. */
const hangMs = 8_000;
/** The same for PostgreSQL (F3). */
const postgresHangsMs = 20_000;
/** Milliseconds of load before, between and after disruptions. */
const calmMs = 3_000;

const runOf = `FAULT_SEED=${seed} FAULT_MINUTES=${minutes} FAULT_RATE=${perSecond}`;

describeWithKafka(
  `every service and the gateway in several replicas, ${runOf}`,
  () => {
    let system: ReplicatedSystem;
    let load: Load;
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-replicas-clients-'));
    });
    afterEach(async () => {
      load?.end();
      await system?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Restarts each service, one of its processes after the other, as an upgrade does. */
    async function rollAll(): Promise<void> {
      const services = [...new Set(system.replicas.map(({ service }) => service))];
      const roll = async (): Promise<void> => {
        for (let service = services.shift(); service !== undefined; service = services.shift()) {
          for (const replica of system.replicas.filter((one) => one.service === service)) {
            const disruption = load.disrupt('roll', replica.name);
            expect([replica.name, await replica.roll()]).toEqual([replica.name, 0]);
            disruption.gone = disruption.until = Date.now();
          }
        }
      };
      await Promise.all(Array.from({ length: rolledAtOnce }, roll));
    }

    async function killAll(chance: ReturnType<typeof random>): Promise<void> {
      const left = [...system.replicas];
      while (left.length > 0) {
        const [replica] = left.splice(chance.between(0, left.length - 1), 1) as [(typeof left)[number]];
        await pause(chance.between(200, 1_500));
        const disruption = load.disrupt('kill', replica.name);
        await replica.kill(() => {
          disruption.gone = Date.now();
        });
        disruption.until = Date.now();
      }
    }

    async function hangOneOfEach(chance: ReturnType<typeof random>): Promise<void> {
      for (const service of new Set(system.replicas.map((one) => one.service))) {
        const all = system.replicas.filter((one) => one.service === service);
        const replica = all[chance.between(0, all.length - 1)] as (typeof all)[number];
        const disruption = load.disrupt('hang', replica.name);
        await replica.hang(hangMs);
        disruption.gone = disruption.until = Date.now();
        await pause(calmMs);
      }
    }

    async function restartPostgres(): Promise<void> {
      const disruption = load.disrupt('postgres', '');
      await system.restartPostgres(() => {
        disruption.gone = Date.now();
      });
      disruption.until = Date.now();
    }

    async function hangPostgres(): Promise<void> {
      const disruption = load.disrupt('postgres hangs', '');
      await system.hangPostgres(postgresHangsMs);
      disruption.gone = disruption.until = Date.now();
    }

    async function restartKafka(awayMs: number): Promise<void> {
      const disruption = load.disrupt('kafka', '');
      await system.kafka.kill();
      disruption.gone = Date.now();
      await pause(awayMs);
      await system.kafka.restart();
      disruption.until = Date.now();
    }

    it.each(counts)(
      '%i of each: only what is under way at a kill fails, and nothing is lost or done twice',
      async (count) => {
        process.stdout.write(`${runOf} FAULT_REPLICAS=${count}\n`);
        const chance = random(seed + count);
        system = await startReplicas(count);
        load = steadyLoad(system.client, perSecond, random(seed));
        const { client } = load;
        const bus = {
          waiting: async () => (await system.kafka.left()).waiting,
          deadLetters: async () => (await system.kafka.left()).deadLetters,
        };
        const reviewer = await makeReviewer(client);
        const fixture = await makeFixture(client, reviewer, 'journal', folder);
        const journal = openJournal(fixture, join(folder, 'writes.journal'), { keyed: true });
        const trained = await makeFixture(client, reviewer, 'trains', folder);
        const train = await makeTrainHarness(trained);
        const packages = await makeFixture(client, reviewer, 'packages', folder);
        const files = publisher(client, packages.projectId);

        const ending = new AbortController();
        const { signal } = ending;
        const proposals: Proposal[] = [];
        const fails = ({ iid }: Proposal) => iid % 4 === 0;
        const ride = async () => {
          for (let number = 1; !signal.aborted; number += 1) {
            const one = await train.propose(`car-${number}`);
            await train.addToTrain(one);
            proposals.push(one);
          }
        };
        const report = async () => {
          while (!signal.aborted) {
            await train.runCi(
              async () => undefined,
              (iid) => fails({ id: 0, iid }),
            );
            await pause(500);
          }
        };

        const published: { publication: Publication; isAcknowledged: boolean }[] = [];
        const upload = async (client: number) => {
          for (let number = 1; !signal.aborted; number += 1) {
            const text = `${client} ${number} `.repeat(chance.between(1, 20_000));
            const publication = publicationOf(formatAt(number), `upload-${client}-${number}`, '1.0.0', text);
            const status = await files.attempt(publication).then(
              (reply) => reply.status,
              () => 0,
            );
            published.push({ publication, isAcknowledged: status > 0 && status < 300 });
            const { publication: earlier, isAcknowledged } = published[
              chance.between(0, published.length - 1)
            ] as (typeof published)[number];
            if (isAcknowledged) expect((await files.download(earlier))?.equals(earlier.content)).toBe(true);
          }
        };

        const lists = [
          '/projects?simple=true',
          `/projects/${fixture.projectId}`,
          `/projects/${fixture.projectId}/merge_requests?state=all`,
          `/projects/${fixture.projectId}/issues`,
          `/projects/${fixture.projectId}/events`,
          `/projects/${fixture.projectId}/repository/tree`,
          `/projects/${fixture.projectId}/repository/commits?ref_name=main`,
          `/projects/${fixture.projectId}/alert_management_alerts`,
          `/projects/${packages.projectId}/packages`,
          `/projects/${trained.projectId}/merge_trains`,
          '/todos',
          '/user',
          '/version',
        ] as const;
        /** Reads are no write that a kill may leave open: whatever they answer but a failure is 200. */
        const oddReads: string[] = [];
        const read = async () => {
          while (!signal.aborted) {
            const path = chance.pick(lists as unknown as readonly [string, ...string[]]);
            const reply = await client.api('GET', path, { token: reviewer.token }).catch((error: Error) => {
              if (error.message.includes('breaks its contract')) oddReads.push(error.message);
            });
            if (reply !== undefined && reply.status !== 200 && reply.status < 500)
              oddReads.push(`${path} ${reply.status} ${reply.text}`);
          }
        };

        const clients = [
          ...Array.from({ length: readers }, read),
          ...Array.from({ length: writers }, (_, at) => journal.writer(`w${at}`, random(seed * writers + at), signal)),
          ...Array.from({ length: uploaders }, (_, at) => upload(at)),
          ride(),
          report(),
        ];
        const disturb = async () => {
          const until = Date.now() + minutes * 60_000;
          const all: [string, () => Promise<void>][] = [
            ['calm', async () => undefined],
            ['roll', rollAll],
            ['kill', () => killAll(chance)],
            ['hang', () => hangOneOfEach(chance)],
            ['postgres', restartPostgres],
            ['postgres hangs', hangPostgres],
            ['kafka', () => restartKafka(chance.between(5_000, 20_000))],
          ];
          const phases = all.filter(([name]) => name === 'calm' || kinds === undefined || kinds.includes(name));
          do {
            for (const [name, happen] of phases) {
              load.enter(name);
              await happen();
              await pause(calmMs);
            }
          } while (Date.now() < until);
        };
        try {
          // A client that fails ends the run.
          await Promise.race([disturb(), Promise.all(clients)]);
        } finally {
          ending.abort();
          await Promise.allSettled(clients);
          load.end();
          process.stdout.write(`${[...load.report(), ...load.unexplained()].join('\n')}\n`);
        }
        await Promise.all(clients);
        expect(oddReads).toEqual([]);
        expect(load.unexplained()).toEqual([]);

        const [left, landed] = [proposals.filter(fails), proposals.filter((one) => !fails(one))];
        await train.runCi(
          async () => {
            await train.expectLanded(...landed);
            await train.expectLeft(...left);
          },
          (iid) => fails({ id: 0, iid }),
        );
        await expectSettled(client, bus);
        await journal.check();
        await expectSettled(client, bus);
        await expectSoundRepository(fixture);
        await expectOneTodoPerReview(fixture);
        await train.expectSound(left);
        await system.command('merge-requests', 'verify-landings', '--all');
        for (const { publication, isAcknowledged } of published) {
          const found = await files.download(publication);
          if (found === undefined)
            expect([publication.download, isAcknowledged]).toEqual([publication.download, false]);
          else expect(found.equals(publication.content)).toBe(true);
        }
        await expectSoundContents(client, packages.projectId);
      },
    );
  },
  'own',
);
