import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Claims, SignedClaims } from '@switchyard/protos/rpc/v1/identity';
import { entity, identityKey, nothing, page } from '@switchyard/rpc';
import { openApiDocument } from '../../../src/http/openapi';
import { routes } from '../../../src/routes';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const token = { token: 'developer' };
const reporter = { token: 'reporter' };
const image = {
  id: 4,
  created_at: '2026-01-02T03:04:05.678Z',
  filename: 'load.png',
  file_path: '/api/v4/projects/1/alert_management_alerts/2/metric_images/4/file',
  url: null,
  url_text: null,
};
const path = '/projects/1/alert_management_alerts/2/metric_images';

interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

describe('metric images', () => {
  let gateway: TestGateway;
  let internal: Server;
  const received: Received[] = [];
  const asked = () => gateway.calls.at(-1)?.request;

  beforeAll(async () => {
    internal = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      // Answered before it is read to the end, as a service that refuses does.
      if (request.headers['x-refuse'] !== undefined) {
        const message = '{"message":"413 Request Entity Too Large"}';
        response
          .writeHead(413, { 'content-type': 'application/json', 'content-length': message.length })
          .write(message);
        request.resume().once('end', () => response.end());
        return;
      }
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString('latin1') });
      if (method === 'POST') {
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(image));
      } else response.writeHead(200, { 'content-type': 'image/png', 'content-disposition': 'inline' }).end('png');
    });
    await new Promise<void>((settle) => internal.listen(0, '127.0.0.1', settle));
    gateway = await startTestGateway({
      access: (request) => resolved({ access: projectAccess({ level: request.token === 'reporter' ? 20 : 30 }) }),
      config: { ALERTS_HTTP_URL: `http://127.0.0.1:${(internal.address() as AddressInfo).port}` },
      fakes: {
        'MetricImageService/ListMetricImages': async () =>
          page([image], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
        'MetricImageService/UpdateMetricImage': async () => entity(image),
        'MetricImageService/DeleteMetricImage': async () => nothing(),
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    internal.closeAllConnections();
    await new Promise((settle) => internal.close(settle));
  });
  beforeEach(() => {
    received.length = 0;
  });

  const form = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const body = '--b\r\nContent-Disposition: form-data; name="file"; filename="load.png"\r\n\r\nbytes\r\n--b--\r\n';

  it('an upload streams on as it is, with the query and who asks', async () => {
    const query = '?url=https%3A%2F%2Fa.example%2F%3Fb%26c&private_token=secret&other=1';
    const sent = { ...form, 'X-Forwarded-For': '192.0.2.9' };
    const reply = await gateway.send('POST', `${path}${query}`, { ...token, headers: sent, raw: body });
    expect(reply).toMatchObject({ status: 201, body: image });
    const [{ method, url, headers, body: content } = {} as Received] = received;
    expect([method, url, content]).toEqual([
      'POST',
      '/projects/1/alerts/2/metric_images?url=https%3A%2F%2Fa.example%2F%3Fb%26c',
      body,
    ]);
    expect(headers).not.toHaveProperty('private-token');
    const signed = SignedClaims.decode(Buffer.from(headers[identityKey] as string, 'base64'));
    expect(Claims.decode(signed.claims)).toMatchObject({
      method: `HTTP POST ${url}`,
      actor: { userId: 7 },
      access: { id: 1, level: 30 },
      address: '192.0.2.9',
    });
  });

  it('an upload is refused before it is forwarded where it may not be, and its sender is told', async () => {
    const raw = `${body.repeat(100_000)}`;
    expect((await gateway.send('POST', path, { ...reporter, headers: form, raw })).status).toBe(403);
    expect((await gateway.send('POST', `${path}?url[]=1`, { ...token, headers: form, raw })).status).toBe(400);
    expect(received).toEqual([]);
  });

  it('a refusal that comes before the body has been read reaches its sender', async () => {
    const headers = { ...form, 'X-Refuse': '1' };
    const reply = await gateway.send('POST', path, { ...token, headers, raw: Buffer.alloc(8 << 20) });
    expect(reply).toMatchObject({ status: 413, body: { message: '413 Request Entity Too Large' } });
  });

  it('a file comes with the headers of its service', async () => {
    const reply = await gateway.send('GET', `${path}/4/file`, token);
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([200, 'png', 'image/png']);
    expect(received).toMatchObject([{ method: 'GET', url: '/projects/1/alerts/2/metric_images/4' }]);
    expect((await gateway.send('GET', `${path}/4/file`, reporter)).status).toBe(403);
  });

  it('lists, changes and deletes', async () => {
    expect((await gateway.send('GET', path, token)).body).toEqual([image]);
    expect((await gateway.send('PUT', `${path}/4`, { ...token, body: { url: null, url_text: 'x' } })).body).toEqual(
      image,
    );
    expect(asked()).toEqual({ projectId: 1, alertIid: 2, imageId: 4, url: '', urlText: 'x' });
    await gateway.send('PUT', `${path}/4`, { ...token, body: {} });
    expect(asked()).toEqual({ projectId: 1, alertIid: 2, imageId: 4, url: undefined, urlText: undefined });
    expect((await gateway.send('DELETE', `${path}/4`, token)).status).toBe(204);
  });

  it('the reference shows the form', () => {
    const { paths, components } = openApiDocument(routes, 'https://forge.example');
    const component = 'CreateProjectAlertManagementAlertMetricImageRequest';
    expect(paths['/projects/{id}/alert_management_alerts/{alert_iid}/metric_images']?.post?.requestBody).toEqual({
      required: true,
      content: { 'multipart/form-data': { schema: { $ref: `#/components/schemas/${component}` } } },
    });
    expect(components.schemas[component]).toMatchObject({
      required: ['file'],
      properties: { file: { type: 'string', format: 'binary' }, url: { type: 'string' } },
    });
  });
});
