import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import { UnsubscribeServiceService } from '@switchyard/protos/collaboration/v1/unsubscribe';
import { AccessServiceService } from '@switchyard/protos/groups_admin/v1/access';
import { IdempotencyServiceService } from '@switchyard/protos/groups_admin/v1/idempotency';
import { RequestCountServiceService } from '@switchyard/protos/groups_admin/v1/request_count';
import { SettingsServiceService } from '@switchyard/protos/groups_admin/v1/settings';
import { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import type { Signer } from '@switchyard/rpc';
import { type InternalHttp, listen, startInternalHttp } from '@switchyard/service';
import type { Response } from 'express';
import { addressesOf, type Config } from './config';
import { admission } from './http/admission';
import { alertIngestion } from './http/alert-ingestion';
import { createApp } from './http/app';
import { connectPeers, type Peers } from './http/clients';
import { docs } from './http/docs';
import { eventStreams } from './http/event-streams/event-streams';
import { takeOriginForm } from './http/external-url';
import { followSettings } from './http/follow-settings';
import { forwarder } from './http/forward';
import { gitProxy } from './http/git-proxy';
import { type GiveWay, giveWay } from './http/give-way';
import { keyedRequests } from './http/keyed-requests';
import { guardLogins } from './http/login-guard';
import { projectUploads } from './http/project-uploads';
import { rateLimits } from './http/rate-limits';
import { accessResolver } from './http/resolve-access';
import { restrictAddresses } from './http/restrict-addresses';
import type { Route } from './http/route';
import { routeBodies } from './http/route-bodies';
import { sharedWindows } from './http/shared-windows';
import { confirmationPage } from './pages/confirmation/confirmation-page';
import { trainsPage } from './pages/trains/trains-page';
import { unsubscribePage } from './pages/unsubscribe/unsubscribe-page';
import { routes } from './routes';
import { avatarUploads } from './routes/groups-admin/avatars.routes';
import { linkedUploads } from './routes/packages/uploads.routes';

/** A gateway that listens. */
export interface Gateway {
  readonly port: number;
  /** Port of the internal HTTP server. */
  readonly httpPort: number;
  /**
   * Turns unready and takes no new connections; requests that run, or arrive for a while on connections kept alive
   * (`lingerMsOf`), are answered with `Connection: close`, for at most `graceMs`; then closes.
   */
  close(graceMs?: number): Promise<void>;
}

/** Event streams of one caller, before the factor of the application limits. */
const streamsPerCaller = 100;

const streamLimits = ({ SWITCHYARD_APPLICATION_LIMITS: scale }: Config) => ({
  streamsPerCaller: Math.ceil(streamsPerCaller * scale),
});

/** Milliseconds for which a gateway that closes waits for the ends of replies that it broke off. */
const lineWithinMs = 1_000;

/**
 * Milliseconds for which connections kept alive stay open once the gateway drains, of `graceMs` that it has. A request
 * that comes as they are closed is lost: the longer none has come on a connection, the rarer that is.
 */
const lingerMsOf = (graceMs: number): number => Math.min(graceMs / 2, Math.max(500, Math.min(graceMs / 16, 5_000)));

/** Builds the gateway from its configuration and starts to listen. Tests give parts of their own. */
export async function compose(
  config: Config,
  signer: Signer,
  given: { peers?: Peers; routes?: readonly Route[]; way?: GiveWay } = {},
): Promise<Gateway> {
  const addresses = addressesOf(config);
  const peers = given.peers ?? connectPeers(addresses.grpc, signer);
  let draining = false;
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL ?? `http://localhost:${config.PORT}`;
  const admit = admission(peers, {
    reads: config.SWITCHYARD_READS_AT_ONCE,
    writes: config.SWITCHYARD_WRITES_AT_ONCE,
  });
  const resolver = accessResolver(admit.access(peers.client(AccessServiceService)));
  const answers = { ...resolver, ...restrictAddresses(resolver) };
  const shared = sharedWindows(peers.client(RequestCountServiceService));
  const access = { ...answers, ...guardLogins(answers, config.SWITCHYARD_APPLICATION_LIMITS, shared.of('logins')) };
  const way = given.way ?? giveWay();
  const forward = forwarder(addresses.http, signer, peers.reach, way);
  const limits = rateLimits(
    {
      authenticated: config.SWITCHYARD_THROTTLE_AUTHENTICATED,
      unauthenticated: config.SWITCHYARD_THROTTLE_UNAUTHENTICATED,
    },
    config.SWITCHYARD_APPLICATION_LIMITS,
    shared.of('requests'),
  );
  const counting = shared.start();
  const settings = followSettings(peers.client(SettingsServiceService), limits);
  const streams = eventStreams(streamLimits(config));
  const keyed = keyedRequests(peers.client(IdempotencyServiceService));
  const declared = given.routes ?? routes;
  const app = createApp(
    declared,
    {
      admission: admit,
      access,
      forward,
      streams,
      way,
      keyed,
      peers,
      limits,
      bodies: routeBodies(Math.max(...declared.map(({ bodyLimit = 0 }) => bodyLimit))),
      tier: config.SWITCHYARD_TIER,
      externalUrl,
      showCost: config.SWITCHYARD_SHOW_COST,
    },
    {
      ready: () => !draining,
      accessLog: config.SWITCHYARD_ACCESS_LOG,
      trustedProxies: config.SWITCHYARD_TRUSTED_PROXIES,
      uploads: [...avatarUploads, ...linkedUploads],
      mounts: [
        docs(declared, externalUrl),
        trainsPage(externalUrl),
        confirmationPage({ emails: peers.client(UserEmailServiceService), externalUrl }),
        unsubscribePage({ subscriptions: peers.client(UnsubscribeServiceService), externalUrl }),
        alertIngestion({
          ingestion: peers.client(IngestionServiceService),
          keyed,
          payloadLimit: config.SWITCHYARD_ALERT_PAYLOAD_LIMIT,
          inboundLimit: config.SWITCHYARD_ALERT_LIMIT,
          scale: config.SWITCHYARD_APPLICATION_LIMITS,
          windows: shared.of('alerts'),
        }),
        gitProxy({ access, limits, forward }),
        projectUploads,
      ],
    },
  );
  /** Replies that have not ended. */
  const open = new Set<ServerResponse>();
  const serve: RequestListener = (request, response) => {
    takeOriginForm(request);
    open.add(response);
    response.once('close', () => open.delete(response));
    app(request, response);
  };
  // Bodies have a minimum rate of their own, which depends on whose they are; a push may last for hours.
  const server = createServer(
    { keepAliveTimeout: 75_000, headersTimeout: 80_000, requestTimeout: 0, maxHeaderSize: 32 << 10 },
    serve,
  );
  server.on('clientError', refuseUnreadable);
  // The reader of the body sends 100 Continue.
  server.on('checkContinue', serve);
  const end = async (): Promise<void> => {
    await Promise.all([settings.close(), counting.close(), keyed.close()]);
    peers.close();
  };
  const places = {
    outer: { host: config.HOST, port: config.PORT, variables: { host: 'HOST', port: 'PORT' } },
    inner: { host: config.HTTP_HOST, port: config.HTTP_PORT, variables: { host: 'HTTP_HOST', port: 'HTTP_PORT' } },
  };
  let port: number;
  let internal: InternalHttp;
  try {
    port = await listen(server, places.outer);
    internal = await startInternalHttp(places.inner);
  } catch (error) {
    server.close();
    await end();
    throw error;
  }
  return {
    port,
    httpPort: internal.port,
    async close(graceMs = config.SWITCHYARD_DRAIN_SECONDS * 1_000) {
      draining = true;
      internal.drain();
      streams.close();
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(() => {
          for (const response of open) (response as Response).locals.brokenOff = true;
          server.closeAllConnections();
        }, graceMs);
        let looking: NodeJS.Timeout | undefined;
        // A client may be about to use a connection it keeps: closed at once, its request would be lost without an
        // answer.
        const lingering = setTimeout(() => {
          server.closeIdleConnections();
          // A connection that was busy when the server closed stays open when its request is answered.
          looking = setInterval(() => server.closeIdleConnections(), 50);
        }, lingerMsOf(graceMs));
        // Not the HTTP server's own close, which ends idle connections first.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(deadline);
          clearTimeout(lingering);
          clearInterval(looking);
          resolve();
        });
      });
      // The server may have closed before the replies on its connections have, each of which has a line in the log.
      const signal = AbortSignal.timeout(lineWithinMs);
      await Promise.allSettled([...open].map((response) => once(response, 'close', { signal })));
      await internal.close(0);
      await end();
    },
  };
}

/** Refuses what the HTTP parser cannot read, before Express sees it, in the shape of every other failure (G-7). */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad request';
  const body = JSON.stringify({ error: status });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
