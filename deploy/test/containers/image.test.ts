import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cycloneDxFaults } from '@switchyard/testkit/replies';
import { GenericContainer, getContainerRuntimeClient, Network, type StartedTestContainer, Wait } from 'testcontainers';
import { parse } from 'yaml';
import { IMAGES } from '../../../libs/testkit/jest/containers.cjs';
import { SERVICES } from '../../catalogue.mjs';

const root = join(__dirname, '../../..');
const megabyte = 1_000_000;
const startupMs = 300_000;

jest.setTimeout(900_000);

let image = process.env.TEST_IMAGE ?? '';

beforeAll(async () => {
  if (image !== '') return;
  const bases = { NODE: process.env.TEST_NODE_IMAGE, DEBIAN: process.env.TEST_DEBIAN_IMAGE };
  const named = Object.entries(bases).filter((one): one is [string, string] => one[1] !== undefined);
  image = 'switchyard-test';
  await GenericContainer.fromDockerfile(root, 'deploy/docker/Dockerfile')
    .withBuildArgs(Object.fromEntries(named))
    .build(image);
}, 3_600_000);

test('the image is small, labelled, and runs as an ordinary user', async () => {
  const { container } = await getContainerRuntimeClient();
  const { Size, Config } = await container.dockerode.getImage(image).inspect();
  expect(Size).toBeLessThan(350 * megabyte);
  expect(Config).toMatchObject({
    User: 'node',
    Labels: {
      'org.opencontainers.image.title': 'Switchyard',
      'org.opencontainers.image.base.name': expect.stringContaining('debian'),
    },
  });
});

test('the image has what it says: Node, git, and a bill of materials of all that is in it', async () => {
  const container = await new GenericContainer(image).withCommand(['sleep', '300']).start();
  const output = async (...command: string[]) => (await container.exec(command)).stdout;
  const [node, git, user] = [
    await output('node', '--version'),
    await output('git', '--version'),
    await output('id', '-u'),
  ];
  const bom = await output('cat', 'sbom.cdx.json');
  await container.stop();
  expect([git, user.trim()]).toEqual([expect.stringMatching(/^git version 2\./), '1000']);
  expect(cycloneDxFaults('1.6', JSON.parse(bom))).toBeNull();
  const components = JSON.parse(bom).components as { name: string; version: string; purl: string }[];
  expect(components.find(({ name }) => name === 'node')?.version).toBe(node.trim().slice(1));
  const names = components.map(({ purl }) => purl.replace(/@.*/, ''));
  expect(names).toEqual(expect.arrayContaining(['pkg:npm/express', 'pkg:deb/debian/git', 'pkg:npm/%40grpc/grpc-js']));
  expect(names.filter((name) => name.includes('jest'))).toEqual([]);
});

test('the image is an installation with the servers of the compose file: users take the tour', async () => {
  interface Container {
    image: string;
    command?: string[];
    environment: Record<string, string>;
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-image-'));
  const run = (script: string, args: string[], env: object = {}) => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'deploy', script), ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  };
  run('compose/compose.mjs', [join(folder, 'compose.yaml')]);
  const file = readFileSync(join(folder, 'compose.yaml'), 'utf8');
  const secrets = Object.fromEntries(
    [...file.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => [name, randomBytes(32).toString('hex')]),
  );
  /** A value as Compose reads it. */
  const resolved = (value: unknown) =>
    String(value).replace(/\$\{(\w+)(?::[?-]([^}]*))?\}/g, (_, name, usual) => secrets[name] ?? usual ?? '');
  const services: Record<string, Container> = parse(file, { merge: true }).services;
  run('docker/keys.mjs', [folder, join(folder, 'shares')], { SWITCHYARD_SECRET: secrets.SWITCHYARD_SECRET });

  const network = await new Network().start();
  const running: StartedTestContainer[] = [];
  const container = (name: string) => {
    const { image: its, command = [], environment } = services[name] as Container;
    const variables = Object.entries(environment).map(([variable, value]) => [variable, resolved(value)]);
    return new GenericContainer(
      { postgres: IMAGES.postgres, kafka: IMAGES.kafka }[name] ?? its.replace(/^switchyard$/, image),
    )
      .withNetwork(network)
      .withNetworkAliases(name)
      .withEnvironment(Object.fromEntries(variables.filter(([, value]) => value !== '')))
      .withCommand(command)
      .withStartupTimeout(startupMs);
  };
  const start = async (one: GenericContainer) => {
    const started = await one.start();
    running.push(started);
    return started;
  };
  const program = (name: string) => {
    const share = join(folder, 'shares', name.replace(/^migrate-/, ''));
    const keys = readdirSync(share).map((key) => ({
      ...{ content: readFileSync(join(share, key), 'utf8'), target: `/keys/${key}`, mode: 0o444 },
    }));
    return container(name).withCopyContentToContainer(keys);
  };
  try {
    const script = readFileSync(join(root, 'deploy/compose/databases.sh'), 'utf8');
    await Promise.all([
      start(
        container('postgres')
          .withCopyContentToContainer([
            { content: script, target: '/docker-entrypoint-initdb.d/databases.sh', mode: 0o755 },
          ])
          .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready --host=127.0.0.1 --username=postgres')),
      ),
      start(container('kafka').withWaitStrategy(Wait.forLogMessage('Kafka Server started'))),
    ]);
    const owners = SERVICES.filter(({ database }) => database);
    await Promise.all(
      owners.map(({ name }) => start(program(`migrate-${name}`).withWaitStrategy(Wait.forOneShotStartup()))),
    );
    const started = await Promise.all(
      SERVICES.map(({ name }) =>
        start(program(name).withExposedPorts(8080, 8081).withWaitStrategy(Wait.forHttp('/-/readiness', 8081))),
      ),
    );
    const gateway = started.at(-1) as StartedTestContainer;
    const url = `http://${gateway.getHost()}:${gateway.getMappedPort(8080)}`;
    run('docker/tour.mjs', [], { URL: url, TOKEN: secrets.SWITCHYARD_ROOT_TOKEN });
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await network.stop();
    rmSync(folder, { recursive: true });
  }
});
