import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { services } from './support/processes';
import { type System, startSystem } from './support/system';

jest.setTimeout(180_000);

interface Span {
  readonly service: string;
  /** Instrumentation: `http`, `express`, `grpc`, `pg`, `events`. */
  readonly scope: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** A collector that keeps what it is sent, as OTLP in JSON. */
async function collector(): Promise<{ url: string; spans: Span[]; text: () => string; server: Server }> {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans ?? []) {
      const service = resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue;
      for (const { scope, spans: own } of scopeSpans) {
        for (const span of own)
          spans.push({ ...span, service, scope: scope.name.replace(/^@.*\/(instrumentation-)?/, '') });
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, text: () => bodies.join('\n'), server };
}

describe('with tracing on', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const caller = 'b7ad6b7169203331';
  const requestId = 'telemetry-end-to-end';
  let sink: Awaited<ReturnType<typeof collector>>;
  let system: System;

  beforeAll(async () => {
    sink = await collector();
    system = await startSystem({
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      LOG_LEVEL: 'debug',
    });
  });
  afterAll(async () => {
    await system?.close();
    sink?.server.closeAllConnections();
    await new Promise((resolve) => sink?.server.close(resolve));
  });

  const traced = () => sink.spans.filter((span) => span.traceId === traceId);
  const logOf = (name: string): Record<string, unknown>[] =>
    readFileSync(join(system.data, 'logs', `${name}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));

  it('a request and the to-do it causes are one trace through four processes', async () => {
    const reviewer = (
      await system.api('POST', '/users', {
        body: { email: 'r@example.com', username: 'reviewer', name: 'R', force_random_password: true },
      })
    ).body.id;
    const project = (
      await system.api('POST', '/projects', { body: { name: 'Traced', path: 'traced', initialize_with_readme: true } })
    ).body.id;
    await system.api('POST', `/projects/${project}/repository/branches?branch=topic&ref=main`);
    await system.api('POST', `/projects/${project}/repository/files/a.txt`, {
      body: { branch: 'topic', commit_message: 'a', content: 'a' },
    });
    // The last write before is groups-admin's own: no cached answer spares it the question who asks.
    await system.api('POST', `/projects/${project}/members`, { body: { user_id: reviewer, access_level: 30 } });
    const created = await system.api(
      'POST',
      `/projects/${project}/merge_requests?private_token=${system.rootToken}&access_token=${system.rootToken}`,
      {
        token: '',
        headers: { traceparent: `00-${traceId}-${caller}-01`, 'X-Request-Id': requestId },
        body: { source_branch: 'topic', target_branch: 'main', title: 'Traced', reviewer_ids: [reviewer] },
      },
    );
    expect(created.status).toBe(201);
    await eventually(
      () => {
        const seen = new Set(traced().map(({ service, scope }) => `${service.replace('switchyard-', '')} ${scope}`));
        expect([...seen].sort()).toEqual([
          'collaboration events',
          'collaboration pg',
          'gateway express',
          'gateway grpc',
          'gateway http',
          'groups-admin events',
          'groups-admin grpc',
          'groups-admin pg',
          'merge-requests events',
          'merge-requests grpc',
          'merge-requests pg',
        ]);
      },
      { within: 20_000 },
    );
    // Every span hangs on another of the trace, the first on the caller's: nothing was started anew.
    await eventually(() => {
      const known = new Set([caller, ...traced().map(({ spanId }) => spanId)]);
      expect(traced().filter(({ parentSpanId }) => parentSpanId === undefined || !known.has(parentSpanId))).toEqual([]);
    });
    const parentOf = (span: Span | undefined) => traced().find(({ spanId }) => spanId === span?.parentSpanId);
    const consumed = traced().find(({ scope, name }) => scope === 'events' && name.startsWith('consume '));
    const published = parentOf(consumed);
    const cause = parentOf(published);
    expect([published?.name, published?.service]).toEqual([
      'publish merge_request.changed',
      'switchyard-merge-requests',
    ]);
    expect([cause?.service, cause?.scope]).toEqual(['switchyard-merge-requests', 'grpc']);
  });

  it('a refused request names its trace, and the metrics name traces', async () => {
    const headers = { traceparent: `00-${traceId}-${caller}-01` };
    const refused = await fetch(`${system.url}/api/v4/projects/0?private_token=${system.rootToken}`, { headers });
    expect([refused.status, refused.headers.get('x-trace-id')]).toEqual([404, traceId]);
    const port = logOf('merge-requests').find(({ msg }) => msg === 'merge-requests listens')?.http_port;
    const scrape = async (accept: string) =>
      (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } })).text();
    const open = await scrape('application/openmetrics-text; version=1.0.0');
    expect(open).toMatch(/^switchyard_rpc_duration_seconds_bucket\{.+\} \d+ # \{trace_id="[0-9a-f]{32}"\} /m);
    expect(open).toMatch(/^# TYPE switchyard_events_published counter$/m);
    expect(open).toMatch(/^# EOF$/m);
    const plain = await scrape('text/plain');
    expect(plain).not.toContain('trace_id');
    expect(plain).toMatch(/^switchyard_events_published_total /m);
  });

  it('each request has a line with its pattern, its caller, its trace and no value', async () => {
    const line = () => logOf('gateway').find(({ msg, request_id: id }) => msg === 'request' && id === requestId);
    await eventually(() => expect(line()).toBeDefined());
    expect(line()).toEqual({
      level: 30,
      time: expect.any(Number),
      service: 'gateway',
      msg: 'request',
      method: 'POST',
      route: '/projects/:id/merge_requests',
      status: 201,
      duration_ms: expect.any(Number),
      user_id: 1,
      request_id: requestId,
      trace_id: traceId,
      span_id: expect.any(String),
    });
    for (const name of services) {
      const lines = logOf(name);
      expect(lines.filter(({ service }) => service !== name)).toEqual([]);
      expect(lines.length).toBeGreaterThan(0);
    }
  });

  it('log lines carry the request id and the trace', () => {
    const of = (name: string) => logOf(name).filter(({ request_id: id }) => id === requestId);
    for (const name of ['gateway', 'groups-admin', 'merge-requests']) {
      expect(of(name).length).toBeGreaterThan(0);
      for (const line of of(name)) expect(line).toMatchObject({ trace_id: traceId });
    }
  });

  it('no token leaves in a span or a log line', () => {
    expect(sink.text()).toContain('private_token=REDACTED');
    expect(sink.text()).not.toContain(system.rootToken);
    for (const name of services) expect(JSON.stringify(logOf(name))).not.toContain(system.rootToken);
  });

  it('no value of a variable leaves in a span or a log line, wherever it was given', async () => {
    const canary = 'CanaryOfTheVariables';
    const group = (await system.api('POST', '/groups', { body: { name: 'Vars', path: 'vars' } })).body.id;
    const project = (
      await system.api('POST', '/projects', {
        body: { name: 'Vars', path: 'vars', namespace_id: group, initialize_with_readme: true },
      })
    ).body.id;
    const make = async (path: string, body: object) =>
      expect((await system.api('POST', path, { body })).status).toBe(201);
    await make(`/groups/${group}/variables`, { key: 'NEAR', value: `${canary}-group` });
    await make(`/groups/${group}/variables`, { key: 'OVER', value: `${canary}-group` });
    await make(`/projects/${project}/variables?value=${canary}-query`, { key: 'NEAR', masked: true });
    await make(`/projects/${project}/variables`, { key: 'DARK', value: `${canary}-dark`, masked_and_hidden: true });
    await make('/admin/ci/variables', { key: 'FAR', value: `${canary}-instance`, protected: true });
    await system.api('POST', `/projects/${project}/variables`, { body: { key: 'NEAR', value: `${canary} taken` } });
    const made = await system.api('POST', `/projects/${project}/pipeline`, {
      body: { ref: 'main', variables: [{ key: 'OVER', value: `${canary}-own` }] },
    });
    const got = await system.api('GET', `/projects/${project}/pipelines/${made.body.id}/ci_variables`);
    expect(got.body.map((one: Record<string, unknown>) => [one.key, one.value, one.masked, one.source])).toEqual([
      ['DARK', null, true, 'project'],
      ['FAR', `${canary}-instance`, false, 'instance'],
      ['NEAR', `${canary}-query`, true, 'project'],
      ['OVER', `${canary}-own`, false, 'pipeline'],
    ]);
    const { stdout } = await system.admin('rotate-secrets');
    for (const secrets of ['variables', 'webhooks', 'integrations', 'variables of pipelines'])
      expect(stdout).toMatch(new RegExp(`^${secrets}: 0 encrypted with key`, 'm'));
    await eventually(() => expect(sink.text()).toContain('ci_variables'));
    expect(sink.text()).not.toContain(canary);
    for (const name of services) {
      expect(readFileSync(join(system.data, 'logs', `${name}.log`), 'utf8')).not.toContain(canary);
    }
  });

  it('polls and probes make no traces', async () => {
    await fetch(`${system.url}/-/readiness`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const roots = sink.spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(roots.filter(({ scope }) => scope === 'pg').map(({ name }) => name)).toEqual([]);
    expect(roots.filter(({ name }) => name.includes('/-/'))).toEqual([]);
  });
});
