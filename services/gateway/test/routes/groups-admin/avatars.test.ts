import { invalid, notFound } from '@switchyard/errors';
import { entity } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const topic = {
  id: 5,
  name: 'steam',
  title: 'Steam',
  description: null,
  total_projects_count: 0,
  organization_id: 1,
  avatar_url: null,
};

let gateway: TestGateway;
let answer = resolved();
let refused = false;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: () => answer,
    fakes: {
      'TopicService/CreateTopic': async () => {
        if (refused) throw invalid({ avatar: ['is too big (should be at most 200 KiB)'] });
        return entity(topic);
      },
      'TopicService/UpdateTopic': async () => entity(topic),
      'TopicService/MergeTopics': async () => entity(topic),
      'TopicService/DeleteTopic': async () => ({ json: Buffer.alloc(0), status: 204 }),
      'AvatarService/SetOwnAvatar': async () => entity({ avatar_url: null }),
      'AvatarService/FindAvatar': async () => entity({ avatar_url: 'https://forge.example/a.png' }),
      'AvatarService/GetAvatar': async ({ filename }: { filename: string }) => {
        if (filename === 'other.png') throw notFound('Avatar');
        return { content: Buffer.from('\x89PNG', 'latin1'), contentType: 'image/png', filename: 'my "logo".png' };
      },
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  answer = resolved({ actor: actor({ admin: true }) });
  refused = false;
  gateway.calls.length = 0;
});

const sent = (rpc: string) => gateway.calls.find((call) => call.rpc === rpc)?.request;

type Part = [head: string, content: string | Buffer];
const field = (name: string, value: string): Part => [`name="${name}"`, value];
const picture = (content: string | Buffer, name = 'avatar', filename = 'a.png'): Part => [
  `name="${name}"; filename="${filename}"`,
  content,
];
/** As browsers send a file that was not chosen. */
const unnamed = (content: string): Part => [
  'name="avatar"; filename=""\r\nContent-Type: application/octet-stream',
  content,
];
const bodyOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--line\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--line--\r\n'),
  ]);
const form = (method: string, path: string, ...parts: Part[]) =>
  gateway.send(method, path, {
    ...newToken(),
    raw: bodyOf(parts),
    headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
  });
const named = [field('name', 'steam'), field('title', 'Steam')];

describe('a small file in a multipart body (G-4.16-6)', () => {
  it('is passed on with the other fields, bytes as they are', async () => {
    const content = Buffer.from([0x89, 0, 0xff, 13, 10, 0xfe]);
    const reply = await form('POST', '/topics', ...named, picture(content));
    expect([reply.status, reply.body]).toEqual([201, topic]);
    expect(sent('TopicService/CreateTopic')).toEqual({
      settings: {
        name: 'steam',
        title: 'Steam',
        description: undefined,
        avatar: { file: { filename: 'a.png', content } },
      },
    });
  });

  it('is passed on no further than one byte above the limit, and the refusal of the service is shown', async () => {
    refused = true;
    const reply = await form('POST', '/topics', ...named, picture(Buffer.alloc(3 << 20, 1)));
    expect([reply.status, reply.body]).toEqual([
      400,
      { message: { avatar: ['is too big (should be at most 200 KiB)'] } },
    ]);
    const { settings } = sent('TopicService/CreateTopic') as { settings: { avatar: { file: { content: Buffer } } } };
    expect(settings.avatar.file.content).toHaveLength((200 << 10) + 1);
  });

  it.each<[string, Part[], object]>([
    ['blank removes', [field('avatar', '')], { avatar: { file: undefined } }],
    ['no file chosen changes nothing', [field('title', 'S'), unnamed('')], { avatar: undefined }],
    ['another file is dropped', [field('title', 'S'), picture('x', 'logo')], { avatar: undefined }],
    [
      'an empty file is for the service',
      [picture('')],
      { avatar: { file: { filename: 'a.png', content: Buffer.alloc(0) } } },
    ],
  ])('%s', async (_name, parts, expected) => {
    expect((await form('PUT', '/topics/5', ...parts)).status).toBe(200);
    expect(sent('TopicService/UpdateTopic')).toMatchObject({ topicId: 5, settings: expected });
  });

  it.each<[string, Part[]]>([
    ['two files', [picture('a'), picture('b')]],
    ['a file and a text', [picture('a'), field('avatar', '')]],
    ['a text', [field('avatar', 'a.png')]],
    ['a file without a name', [unnamed('a')]],
    ['a list', [field('avatar[]', 'a')]],
  ])('%s: 400, and nothing is asked of a service', async (_name, parts) => {
    const reply = await form('PUT', '/topics/5', ...parts);
    expect([reply.status, reply.body]).toEqual([400, { error: 'avatar is invalid' }]);
    expect(sent('TopicService/UpdateTopic')).toBeUndefined();
  });

  it.each([{}, [], 7, true, 'x', { filename: 'a.png', content: 'x' }])('%j in JSON: 400', async (avatar) => {
    const reply = await gateway.send('PUT', '/topics/5', { ...newToken(), body: { avatar } });
    expect([reply.status, reply.body]).toEqual([400, { error: 'avatar is invalid' }]);
  });

  it('blank in JSON and in a form removes', async () => {
    await gateway.send('PUT', '/topics/5', { ...newToken(), body: { avatar: '' } });
    await gateway.send('PUT', '/user/avatar?avatar=', newToken());
    expect(sent('TopicService/UpdateTopic')).toMatchObject({ settings: { avatar: { file: undefined } } });
    expect(sent('AvatarService/SetOwnAvatar')).toEqual({ avatar: { file: undefined } });
    expect((await gateway.send('PUT', '/user/avatar', newToken())).body).toEqual({ error: 'avatar is missing' });
  });

  it('above 5 MiB, and without a token, is refused before it is read', async () => {
    expect((await form('POST', '/topics', ...named, picture(Buffer.alloc(6 << 20)))).status).toBe(413);
    answer = resolved({ actor: undefined });
    expect((await form('POST', '/topics', ...named, picture('x'))).status).toBe(401);
    answer = resolved({ actor: actor() });
    expect((await form('POST', '/topics', ...named, picture('x'))).status).toBe(403);
    expect(gateway.calls.some(({ rpc }) => rpc.startsWith('TopicService'))).toBe(false);
  });
});

describe('topics', () => {
  it('400 for what is missing or cannot be, 404 for what is no id', async () => {
    const post = async (path: string, body: object) =>
      (await gateway.send('POST', path, { ...newToken(), body })).body.error;
    expect(await post('/topics', {})).toBe('name is missing, title is missing');
    expect(await post('/topics', { name: 'a', title: 'b', organization_id: 2 })).toBe(
      'organization_id is not supported except as 1',
    );
    expect(await post('/topics/merge', { source_topic_id: 'x' })).toBe(
      'source_topic_id is invalid, target_topic_id is missing',
    );
  });

  it('201: a merge answers the target', async () => {
    const body = { source_topic_id: 4, target_topic_id: 5 };
    const reply = await gateway.send('POST', '/topics/merge', { ...newToken(), body });
    expect([reply.status, reply.body]).toEqual([201, topic]);
    expect(sent('TopicService/MergeTopics')).toEqual({ sourceTopicId: 4, targetTopicId: 5 });
  });
});

describe('avatars', () => {
  const show = (path: string) => fetch(`${gateway.url}${path}`, { headers: { 'PRIVATE-TOKEN': newToken().token } });

  it('are shown as pictures and nothing else', async () => {
    answer = resolved({ access: projectAccess() });
    const path = '/uploads/-/system/project/avatar/1/my%20%22logo%22.png';
    const reply = await show(path);
    expect([reply.status, await reply.text()]).toEqual([200, '\ufffdPNG']);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': "inline; filename*=UTF-8''my%20%22logo%22.png",
      'cache-control': 'max-age=0, private, must-revalidate',
    });
    expect(sent('AvatarService/GetAvatar')).toEqual({
      owner: { $case: 'projectId', value: 1 },
      filename: 'my "logo".png',
    });
    const again = await fetch(`${gateway.url}${path}`, {
      headers: { 'PRIVATE-TOKEN': newToken().token, 'If-None-Match': reply.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect((await gateway.send('GET', '/projects/1/avatar', newToken())).status).toBe(200);
  });

  it('of users and topics are open to all; of projects and groups to those who see them', async () => {
    answer = resolved({ actor: undefined });
    const status = async (path: string) => (await fetch(`${gateway.url}${path}`)).status;
    expect(await status('/uploads/-/system/user/avatar/7/a.png')).toBe(200);
    expect(sent('AvatarService/GetAvatar')).toMatchObject({ owner: { $case: 'userId', value: 7 } });
    expect(await status('/uploads/-/system/projects/topic/avatar/7/a.png')).toBe(200);
    gateway.calls.length = 0;
    for (const path of [
      '/uploads/-/system/project/avatar/1/a.png',
      '/uploads/-/system/group/avatar/1/a.png',
      '/uploads/-/system/user/avatar/7/a.png/b',
      '/uploads/-/system/appearance/avatar/7/a.png',
      '/uploads/',
    ])
      expect([path, await status(path)]).toEqual([path, 404]);
    expect(sent('AvatarService/GetAvatar')).toBeUndefined();
    expect(await status('/uploads/-/system/user/avatar/7/other.png')).toBe(404);
    expect(await status('/uploads/-/system/user/avatar/x/a.png')).toBe(400);
  });

  it('are found by e-mail', async () => {
    const reply = await gateway.send('GET', '/avatar?email=ada@example.com&size=32', newToken());
    expect(reply.body).toEqual({ avatar_url: 'https://forge.example/a.png' });
    expect((await gateway.send('GET', '/avatar', newToken())).body).toEqual({ error: 'email is missing' });
  });
});
