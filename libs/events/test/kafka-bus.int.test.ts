import { connect, type Socket } from 'node:net';
import { describeWithKafka, type TestKafka, testKafka } from '@switchyard/testkit';
import { type EventBus, kafkaBus } from '../src';
import { busContract } from './bus-contract';
import { consumerContract } from './consumer-contract';

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
      for (const socket of sockets) socket.destroy();
    },
    async start() {
      cut = false;
    },
  }));

  consumerContract('Kafka', () => open());
});
