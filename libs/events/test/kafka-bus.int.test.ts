import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describeWithKafka, eventually, ownKafka, type TestKafka, testKafka } from '@switchyard/testkit';
import { type EventBus, kafkaBus } from '../src';
import { busContract } from './bus-contract';
import { consumerContract } from './consumer-contract';
import { faultContract } from './fault-contract';

describeWithKafka('Kafka', () => {
  let kafka: TestKafka;
  const sockets = new Set<Socket>();
  let cut = false;

  // Takes a broker away that other tests may be using: the sockets of this file are cut, and new ones lead nowhere.
  const open = (): EventBus =>
    kafkaBus({
      brokers: kafka.brokers,
      socketFactory({ host, port, onConnect }) {
        const socket = cut ? connect(1, '127.0.0.1') : connect(port, host, onConnect);
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        return socket;
      },
    });

  beforeAll(async () => {
    kafka = await testKafka();
  }, 120_000);

  afterAll(() => kafka?.close());

  busContract('Kafka', () => ({
    open: async () => open(),
    async stop() {
      cut = true;
      const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      for (const socket of sockets) socket.destroy(reset);
    },
    async start() {
      cut = false;
    },
  }));

  consumerContract('Kafka', () => open());

  faultContract('Kafka', ['outbox.published', 'consumer.committed:3'], () => ['kafka', kafka.brokers[0] ?? '']);
});

describeWithKafka(
  'Kafka that crashes',
  () => {
    test('a broker that is killed and comes back loses nothing it had accepted, and needs no restart of ours', async () => {
      const { brokers, kill, restart, close } = await ownKafka();
      const bus = kafkaBus({ brokers });
      const topic = `killed-${randomBytes(4).toString('hex')}`;
      const publish = (n: number) =>
        bus.publish([{ topic, key: 'k', body: String(n), headers: { id: `${topic}:${n}` } }]);
      const received = new Set<string>();
      await bus.subscribe({ group: topic, topics: [topic], handler: async ({ body }) => void received.add(body) });
      await publish(1);
      await eventually(() => expect([...received]).toEqual(['1']), { within: 30_000 });
      await publish(2);
      await kill();
      await expect(publish(3)).rejects.toThrow();
      await restart();
      await eventually(() => publish(4), { within: 40_000, every: 200 });
      await eventually(() => expect([...received]).toEqual(expect.arrayContaining(['1', '2', '4'])), {
        within: 60_000,
      });
      await bus.close();
      await close();
    });
  },
  'own',
);
