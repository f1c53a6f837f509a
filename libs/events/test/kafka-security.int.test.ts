import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busVariables, parseEnvironment } from '@switchyard/config';
import { describeWithKafka, freePort, type SecureKafka, secureKafka, testCertificate } from '@switchyard/testkit';
import { openBus } from '../src';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-kafka-security-'));
const ours = testCertificate(folder, 'ours');
const others = testCertificate(folder, 'others');
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const password = file('password', 'kafka-canary\n');
const rubbish = file('rubbish', 'no certificate\n');
const broken = file('broken', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Settings = Record<string, string>;
const open = (settings: Settings) => openBus(parseEnvironment(busVariables, settings), 'test');

const somewhere = { KAFKA_BROKERS: '127.0.0.1:1' };
const plain = { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'switchyard', KAFKA_SASL_PASSWORD_FILE: password };

test.each<[RegExp, Settings]>([
  [/^KAFKA_TLS: must be true when KAFKA_CA_FILE is set$/, { KAFKA_CA_FILE: ours.certificate }],
  [/^KAFKA_CA_FILE: .+absent cannot be read \(ENOENT\)$/, { KAFKA_TLS: 'true', KAFKA_CA_FILE: join(folder, 'absent') }],
  [/^KAFKA_CA_FILE: .+rubbish contains no certificate in PEM$/, { KAFKA_TLS: 'true', KAFKA_CA_FILE: rubbish }],
  [/^KAFKA_CA_FILE: .+broken .+ does not parse$/, { KAFKA_TLS: 'true', KAFKA_CA_FILE: broken }],
  [/^KAFKA_CERTIFICATE_KEY_FILE: must be set/, { KAFKA_TLS: 'true', KAFKA_CERTIFICATE_FILE: ours.certificate }],
  [
    /^KAFKA_CERTIFICATE_KEY_FILE: .+rubbish contains no private key/,
    { KAFKA_TLS: 'true', KAFKA_CERTIFICATE_FILE: ours.certificate, KAFKA_CERTIFICATE_KEY_FILE: rubbish },
  ],
  [
    /^KAFKA_CERTIFICATE_KEY_FILE: .+others\.key is not the key of .+ours\.pem$/,
    { KAFKA_TLS: 'true', KAFKA_CERTIFICATE_FILE: ours.certificate, KAFKA_CERTIFICATE_KEY_FILE: others.key },
  ],
  [/^KAFKA_BROKERS: must be a comma-separated list of host:port$/, { KAFKA_BROKERS: 'kafka' }],
  [/^KAFKA_BROKERS: must be a comma-separated list of host:port$/, { KAFKA_BROKERS: 'kafka:9092,kafka:99999' }],
  [/^KAFKA_BROKERS: must be set when KAFKA_TLS is$/, { KAFKA_BROKERS: '', KAFKA_TLS: 'true' }],
  [/^KAFKA_BROKERS: must be set when KAFKA_SASL_USERNAME is$/, { KAFKA_BROKERS: '', KAFKA_SASL_USERNAME: 'a' }],
  [/^KAFKA_OAUTH_TOKEN_FILE: has no effect with PLAIN$/, { ...plain, KAFKA_OAUTH_TOKEN_FILE: password }],
  [/^KAFKA_OAUTH_TOKEN_URL: has no effect with PLAIN$/, { ...plain, KAFKA_OAUTH_TOKEN_URL: 'http://localhost' }],
  [
    /^KAFKA_SASL_USERNAME: has no effect with KAFKA_OAUTH_TOKEN_FILE$/,
    { ...plain, KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_OAUTH_TOKEN_FILE: password },
  ],
  [
    /^KAFKA_REPLICATION_FACTOR: has no effect when KAFKA_CREATE_TOPICS is false$/,
    { KAFKA_CREATE_TOPICS: 'false', KAFKA_REPLICATION_FACTOR: '3' },
  ],
  [/^KAFKA_SASL_MECHANISM: /, { KAFKA_SASL_MECHANISM: 'GSSAPI' }],
  [/^KAFKA_SASL_MECHANISM: must be set when KAFKA_SASL_USERNAME is$/, { KAFKA_SASL_USERNAME: 'a' }],
  [/^KAFKA_SASL_USERNAME: must be set with PLAIN$/, { KAFKA_SASL_MECHANISM: 'PLAIN' }],
  [/^KAFKA_SASL_PASSWORD_FILE: must be set/, { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256', KAFKA_SASL_USERNAME: 'a' }],
  [/^KAFKA_SASL_PASSWORD_FILE: .+ cannot be read/, { ...plain, KAFKA_SASL_PASSWORD_FILE: join(folder, 'absent') }],
  [/^KAFKA_OAUTH_TOKEN_FILE: either it or KAFKA_OAUTH_TOKEN_URL/, { KAFKA_SASL_MECHANISM: 'OAUTHBEARER' }],
])('settings that cannot work are refused: %s', (message, settings) => {
  expect(() => open({ ...somewhere, ...settings })).toThrow(message);
});

test('a broker that is away is no fault', async () => {
  const bus = open({ KAFKA_BROKERS: `127.0.0.1:${await freePort()}` });
  await expect(bus.check([])).resolves.toBeUndefined();
  await bus.close();
});

/** The check fails with this line. */
async function refused(settings: Settings, message: RegExp): Promise<void> {
  const bus = open(settings);
  await expect(bus.check([])).rejects.toThrow(message);
  await bus.close();
}

test('a server of another protocol is named', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((settle) => server.once('listening', settle));
  const broker = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await refused({ KAFKA_BROKERS: broker }, /^KAFKA_BROKERS: 127\.0\.0\.1:\d+ does not speak the protocol of Kafka$/);
  server.close();
});

describe('a broker that ends a login', () => {
  const [apiVersions, saslHandshake, saslAuthenticate] = [18, 17, 36];
  const int16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])));
  const text = (value: string) => Buffer.concat([int16(value.length), Buffer.from(value)]);
  const versions = [apiVersions, 0, 2, saslHandshake, 0, 1, saslAuthenticate, 0, 1, 3, 0, 5];
  const known: Record<number, Buffer> = {
    [apiVersions]: Buffer.concat([int16(0, 0, versions.length / 3, ...versions), Buffer.alloc(4)]),
    [saslHandshake]: Buffer.concat([int16(0, 0, 2), text('PLAIN'), text('OAUTHBEARER')]),
  };
  const refusal = Buffer.concat([int16(58), text('no'), Buffer.alloc(12)]);
  let connections = 0;

  /** Answers what comes before the login, then does what it is told. */
  async function withBroker(end: (socket: Socket, reply: (body: Buffer) => void) => void, settings: Settings) {
    connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.on('data', (request) => {
        const reply = (body: Buffer): void => {
          const head = Buffer.alloc(8);
          head.writeInt32BE(body.length + 4);
          request.copy(head, 4, 8, 12);
          socket.write(Buffer.concat([head, body]));
        };
        const answer = known[request.readInt16BE(4)];
        if (answer === undefined) end(socket, reply);
        else reply(answer);
      });
    }).listen(0, '127.0.0.1');
    await new Promise((settle) => server.once('listening', settle));
    const bus = open({ ...settings, KAFKA_BROKERS: `127.0.0.1:${(server.address() as AddressInfo).port}` });
    await bus.check([]).finally(async () => {
      await bus.close();
      server.close();
    });
  }

  const tokens = () => ({ KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_OAUTH_TOKEN_FILE: password });

  test('by its answer refuses what the login rests on', async () => {
    const refuse = (_socket: Socket, reply: (body: Buffer) => void) => reply(refusal);
    await expect(withBroker(refuse, plain)).rejects.toThrow(/^KAFKA_SASL_PASSWORD_FILE: /);
    await expect(withBroker(refuse, tokens())).rejects.toThrow(/^KAFKA_OAUTH_TOKEN_FILE: /);
  });

  test.each([
    ['PLAIN', () => plain],
    ['a token', tokens],
  ])('without an answer is away, with %s', (_name, settings) => withBroker((socket) => socket.destroy(), settings()));

  test('again and again asks for one where we have none', async () => {
    const ended = withBroker((socket) => socket.destroy(), {});
    await expect(ended).rejects.toThrow(/^KAFKA_SASL_MECHANISM: .+ ends connections without a login$/);
    // Asked once whether it is a broker.
    expect(connections).toBe(3);
  });

  test('once is away', async () => {
    let times = 0;
    await withBroker((socket, reply) => {
      times += 1;
      if (times === 1) socket.destroy();
      // No brokers, no controller, no topics.
      else reply(Buffer.concat([Buffer.alloc(8), int16(-1, -1), Buffer.alloc(8)]));
    }, {});
    expect(times).toBeGreaterThan(1);
  });

  test.each<[number, RegExp | undefined]>([
    [401, /^KAFKA_OAUTH_TOKEN_URL: answers 401$/],
    [404, /^KAFKA_OAUTH_TOKEN_URL: answers 404$/],
    [429, undefined],
    [503, undefined],
  ])('a server of tokens that answers %i', async (status, message) => {
    const server = createServer((_request, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
    await new Promise((settle) => server.once('listening', settle));
    const KAFKA_OAUTH_TOKEN_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const settings = { ...plain, KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_OAUTH_TOKEN_URL };
    const checked = withBroker((socket) => socket.destroy(), settings);
    await (message === undefined ? checked : expect(checked).rejects.toThrow(message));
    server.close();
  });
});

describeWithKafka(
  'Kafka with TLS and SASL',
  () => {
    let kafka: SecureKafka;
    const tls = { KAFKA_TLS: 'true', KAFKA_CA_FILE: ours.certificate };

    beforeAll(async () => {
      kafka = await secureKafka(ours.both);
    });
    afterAll(() => kafka?.close());

    /** Publishes a record with these settings and gets it back. */
    async function goesThrough(settings: Settings): Promise<void> {
      const bus = open(settings);
      const topic = `secure-${randomBytes(4).toString('hex')}`;
      await bus.check([topic]);
      await bus.publish([{ topic, key: 'k', body: '{}', headers: { id: '1' } }]);
      const received: string[] = [];
      await bus.drain({ group: topic, topic, handler: async ({ body }) => void received.push(body) });
      expect(received).toEqual(['{}']);
      await bus.close();
    }

    test('records pass over TLS of our own CA', () => goesThrough({ ...tls, KAFKA_BROKERS: kafka.tls }));

    test.each(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])('records pass with %s', (mechanism) =>
      goesThrough({ ...tls, ...plain, KAFKA_SASL_MECHANISM: mechanism, KAFKA_BROKERS: kafka.sasl }),
    );

    /** A token that nobody has signed, as the broker of the test takes it. */
    const token = (): string => {
      const now = Math.floor(Date.now() / 1_000);
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg: 'none' })}.${part({ sub: 'switchyard', iat: now, exp: now + 600 })}.`;
    };

    test('records pass with a token of a file', async () => {
      const KAFKA_OAUTH_TOKEN_FILE = file('token', `${token()}\n`);
      await goesThrough({
        ...tls,
        KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
        KAFKA_OAUTH_TOKEN_FILE,
        KAFKA_BROKERS: kafka.sasl,
      });
    });

    describe('with tokens that are fetched', () => {
      let server: Server;
      let status = 200;
      const asked: string[] = [];
      const oauth = () => ({
        ...tls,
        ...plain,
        KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
        KAFKA_OAUTH_TOKEN_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
        KAFKA_OAUTH_SCOPE: 'kafka',
        KAFKA_BROKERS: kafka.sasl,
      });

      beforeAll(async () => {
        server = createServer(async (request, response) => {
          let body = '';
          for await (const chunk of request) body += chunk;
          asked.push(`${request.headers.authorization} ${body}`);
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ access_token: token(), expires_in: 600 }));
        }).listen(0, '127.0.0.1');
        await new Promise((settle) => server.once('listening', settle));
      });
      afterAll(() => server.close());

      test('records pass, and a token is fetched once for all connections', async () => {
        await goesThrough(oauth());
        const login = Buffer.from('switchyard:kafka-canary').toString('base64');
        expect(asked).toEqual([`Basic ${login} grant_type=client_credentials&scope=kafka`]);
      });

      test('a server that gives none is named', async () => {
        status = 401;
        await refused(oauth(), /^KAFKA_OAUTH_TOKEN_URL: answers 401$/);
      });
    });

    test.each<[string, () => Settings, RegExp]>([
      ['TLS where it is not spoken', () => ({ ...tls, KAFKA_BROKERS: kafka.plain }), /^KAFKA_TLS: must be false, /],
      ['no TLS where it is spoken', () => ({ KAFKA_BROKERS: kafka.tls }), /^KAFKA_TLS: must be true, /],
      [
        'a CA of others',
        () => ({ KAFKA_TLS: 'true', KAFKA_CA_FILE: others.certificate, KAFKA_BROKERS: kafka.tls }),
        /^KAFKA_CA_FILE: the certificate of \S+ is not trusted/,
      ],
      ['no login where one is asked for', () => ({ ...tls, KAFKA_BROKERS: kafka.sasl }), /^KAFKA_SASL_MECHANISM: /],
      [
        'a login where none is asked for',
        () => ({ ...tls, ...plain, KAFKA_BROKERS: kafka.tls }),
        /^KAFKA_SASL_MECHANISM: /,
      ],
      [
        'a wrong password',
        () => ({ ...tls, ...plain, KAFKA_SASL_PASSWORD_FILE: file('wrong', 'wrong'), KAFKA_BROKERS: kafka.sasl }),
        /^KAFKA_SASL_PASSWORD_FILE: /,
      ],
    ])('%s is refused at the start', (_, settings, message) => refused(settings(), message));

    test('a new password in the file needs no restart', async () => {
      const KAFKA_SASL_PASSWORD_FILE = file('rotating', 'wrong');
      const bus = open({ ...tls, ...plain, KAFKA_SASL_PASSWORD_FILE, KAFKA_BROKERS: kafka.sasl });
      await expect(bus.check([])).rejects.toThrow(/^KAFKA_SASL_PASSWORD_FILE: /);
      writeFileSync(KAFKA_SASL_PASSWORD_FILE, 'kafka-canary');
      await bus.check([]);
      await bus.close();
    });

    test('topics that the operator creates are not created, and a missing one is named', async () => {
      const topic = `operators-${randomBytes(4).toString('hex')}`;
      const bus = open({ KAFKA_BROKERS: kafka.plain, KAFKA_CREATE_TOPICS: 'false' });
      const message = new RegExp(`^KAFKA_CREATE_TOPICS: is false, and topics are missing .+: ${topic}$`);
      await expect(bus.check([topic])).rejects.toThrow(message);
      await expect(bus.publish([{ topic, key: 'k', body: '{}', headers: {} }])).rejects.toThrow(message);
      const creating = open({ KAFKA_BROKERS: kafka.plain, KAFKA_REPLICATION_FACTOR: '1' });
      await creating.publish([{ topic, key: 'k', body: '{}', headers: {} }]);
      await bus.check([topic]);
      await Promise.all([bus.close(), creating.close()]);
    });
  },
  'own',
);
