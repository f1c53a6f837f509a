import { createHash } from 'node:crypto';
import {
  CreatePackageProtectionRuleRequest,
  PackageProtectionServiceService,
} from '@switchyard/protos/packages/v1/package_protection';
import { eventually } from '@switchyard/testkit';
import { type PackageFormats, packageFormats } from './package-formats';

let here: PackageFormats;

beforeAll(async () => {
  here = await packageFormats({ SWITCHYARD_MAVEN_PACKAGE_LIMIT: '10000' });
});
afterAll(() => here?.close());

const put = (path: string, body: string | Buffer) => here.project('PUT', `maven/${path}`, { body });
const get = (path: string) => here.project('GET', `maven/${path}`);
const digest = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');

it('stores what is deployed, compares its checksums, and serves them from its digests', async () => {
  const jar = 'com/example/app/1.0/app-1.0.jar';
  expect((await put(jar, 'a jar')).status).toBe(200);
  for (const one of ['md5', 'sha1', 'sha256', 'sha512']) {
    expect((await put(`${jar}.${one}`, digest(one, 'a jar'))).status).toBe(200);
    expect(await (await get(`${jar}.${one}`)).text()).toBe(digest(one, 'a jar'));
    const wrong = await put(`${jar}.${one}`, digest(one, 'another jar'));
    expect([wrong.status, await wrong.json()]).toEqual([409, { message: `The ${one} does not match the file` }]);
  }
  expect((await put('com/example/app/1.0/none.jar.sha1', digest('sha1', ''))).status).toBe(404);
  expect((await put(`${jar}.sha1`, 'no digest')).status).toBe(400);
  expect((await put(`${jar}.sha1`, '0'.repeat(2_000))).status).toBe(413);
  const file = await get(jar);
  expect([file.headers.get('x-checksum-sha1'), await file.text()]).toEqual([digest('sha1', 'a jar'), 'a jar']);
  const head = await here.project('HEAD', `maven/${jar}.sha1`);
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '40']);
  expect((await put('com/example/app/1.0/big.jar', Buffer.alloc(10_001))).status).toBe(400);
});

it('refuses what a rule protects before the body has come', async () => {
  // It never does.
  const body = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{')) }) as NonNullable<
    RequestInit['body']
  >;
  const rule = { projectId: here.projectId, packageNamePattern: 'com/example/prot', packageType: 'maven' };
  await here.here
    .client(PackageProtectionServiceService)
    .createPackageProtectionRule(
      CreatePackageProtectionRuleRequest.fromPartial({ ...rule, pushRole: 'owner' }),
      here.here.as({ id: 7 }, { id: here.projectId, level: 40 }),
    );
  const reply = await here.project('PUT', 'maven/com/example/prot/1.0/prot-1.0.jar', { body });
  expect(reply.status).toBe(403);
});

it('keeps the metadata of all versions in a package without one, and serves the newest of a name', async () => {
  const ofAll = 'org/acme/lib/maven-metadata.xml';
  const ofSnapshot = 'org/acme/lib/2-SNAPSHOT/maven-metadata.xml';
  await put(ofSnapshot, 'timestamps');
  await put(ofAll, 'one version');
  await put(ofAll, 'two versions');
  expect(await (await get(ofAll)).text()).toBe('two versions');
  expect(await (await get(ofSnapshot)).text()).toBe('timestamps');
  // The checksum of one of two deployments at once, whose metadata is no longer the newest.
  expect((await put(`${ofAll}.sha1`, digest('sha1', 'one version'))).status).toBe(200);
  expect(await here.list('maven')).toEqual(
    expect.arrayContaining([
      { name: 'org/acme/lib', version: '2-SNAPSHOT' },
      { name: 'org/acme/lib', version: null },
    ]),
  );
});

it.each(['..%2F..%2Fetc%2Fpasswd', 'a/b/1.0/x%00.jar', 'a/b/1.0/%2e%2e', 'x.jar', 'a%5Cb/c/1.0/x.jar'])(
  'refuses to store %s, and has nothing there',
  async (path) => {
    const reply = await here.project('PUT', `maven/${path.replaceAll('/', '%2F')}`, { body: 'x' });
    expect([reply.status, await reply.json()]).toEqual([400, { error: 'path is invalid' }]);
    expect((await get(path.replaceAll('/', '%2F'))).status).toBe(404);
  },
);

it('finds in a group and in the instance what the caller may read (G-4.17-8, G-4.17-12)', async () => {
  const path = `${here.fullPath}/1/shared-1.jar`;
  await put(path, 'secret');
  const [ofGroup, ofAll] = [`/groups/${here.group}/packages/maven/${path}`, `/packages/maven/${path}`];
  for (const one of [ofGroup, ofAll]) {
    expect((await here.ask('GET', one, here.member)).status).toBe(200);
    expect((await here.ask('GET', one, here.outsider)).status).toBe(404);
    expect((await here.ask('GET', one, here.jobOfOther)).status).toBe(404);
    const anonymous = await here.ask('GET', one, undefined);
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Switchyard"']);
  }
  // The token of the group reads all that lies below it, and has no user.
  expect(await (await here.ask('GET', ofGroup, here.deployToken)).text()).toBe('secret');
  expect((await here.ask('GET', ofAll, here.deployToken)).status).toBe(404);
  // What is open to some addresses alone is found where the gateway compares them: in its project and groups (G-4.15-6).
  here.here.directory.changeNamespace(here.group, { addressRestricted: true });
  await eventually(async () => expect((await here.ask('GET', ofAll, here.member)).status).toBe(404));
  expect((await here.ask('GET', ofGroup, here.member)).status).toBe(200);
  here.here.directory.changeNamespace(here.group, { addressRestricted: false });
  // In the instance a path that is not that of its project would let anybody publish in place of another one.
  await put('com/acme/app/1/app-1.jar', 'elsewhere');
  const found = (place: string) => here.ask('GET', `${place}/packages/maven/com/acme/app/1/app-1.jar`, here.member);
  expect([(await found(`/groups/${here.group}`)).status, (await found('')).status]).toEqual([200, 404]);
});
