import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { ItemOutcome } from '../../alerts';
import type { AlertEndpoint, EndpointIntegration, EndpointSelector, KeyDigest, ProjectName } from '../../integrations';
import { hasMapping, licensedSettings } from '../../integrations';
import type { PayloadRules } from '../../payloads';
import { deepestPayload, isMetricsPayload, isObject, nestsDeeperThan, parseJson, readPayload } from '../../payloads';
import type { AlertWishes } from '../domain/alert-batch';
import { type AlertWriter, Overloaded } from './alert-writer';
import { gather } from './gather';

/** Where a payload was sent, and by whose leave. */
export interface PresentedKey {
  /** What stands before `/alerts/notify`: path of a project, or that and `/prometheus`. */
  readonly path: string;
  /** Undefined for an address without one. */
  readonly endpointId: string | undefined;
  /** Undefined when none was presented. */
  readonly key: string | undefined;
}

/** A payload as it came. */
export interface IncomingPayload extends PresentedKey {
  readonly content: Uint8Array;
  readonly userAgent: string;
}

/** What the sender is told (the table of G-4.12-3). */
export type Reception =
  | {
      readonly status: 200;
      readonly receiptId: string;
      /** Alerts that were raised, counted or resolved, each once, in the order of the payload. */
      readonly alerts: readonly { readonly iid: number; readonly title: string }[];
    }
  | {
      /** 400 with a receipt: it was read, and nothing of it could be stored. */
      readonly status: 400 | 401 | 403 | 404;
      readonly receiptId?: string;
    }
  | {
      readonly status: 429 | 503;
      /** Seconds. */
      readonly retryAfter: number;
    };

/** Looks up what an address of payloads leads to. */
export interface AlertEndpoints {
  /** Undefined when the replica has no such project, or one that takes no alerts. */
  find(project: ProjectName, selector: EndpointSelector): Promise<AlertEndpoint | undefined>;
}

/** What the reception needs. */
export interface ReceptionEdges {
  readonly endpoints: AlertEndpoints;
  /** Id of a project that the replica does not know by this path: a new one, or one that had the path before. Undefined when there is none. */
  readonly locateProject: (path: string) => Promise<number | undefined>;
  readonly writer: AlertWriter;
  readonly keyDigest: KeyDigest;
  /** Largest payload, bytes. */
  readonly payloadLimit: number;
  readonly clock: () => Date;
}

/** Compared with where there is no integration, so that its absence takes no less time. */
const noDigest = Buffer.alloc(32);

/** Stands for an integration that is not there: it takes nothing, as one that is not active. */
const none: EndpointIntegration = { id: 0, keyDigest: noDigest, active: false, mapping: [] };

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Seconds after which a sender is to come again: spread, so that those who were refused together do not return together. */
const pause = (): number => 1 + Math.floor(Math.random() * 5);

/** A payload as text and as a value; undefined when it is not JSON in UTF-8, or nests too deeply. */
export function parsePayload(content: Uint8Array): { text: string; value: unknown } | undefined {
  // Asked before the parser sees it, which recurses.
  if (nestsDeeperThan(deepestPayload, content)) return undefined;
  try {
    const text = decoder.decode(content);
    return { text, value: parseJson(text) };
  } catch {
    return undefined;
  }
}

const suffix = '/prometheus';

interface Candidate {
  readonly path: string;
  readonly selector: EndpointSelector;
}

/** Longest full path that exists: 20 levels of 255 characters. */
const longestPath = 20 * 256;

/** False for what names nothing, and what PostgreSQL cannot take as text. */
const isName = (path: string): boolean => path.length <= longestPath && !path.includes('\0') && path.isWellFormed();

/**
 * The projects and integrations an address may mean, the likelier first: a project of the name `prometheus` has addresses that read like
 * those of the metrics endpoint of what is above it.
 */
function candidates({ path, endpointId }: PresentedKey): Candidate[] {
  if (!isName(path)) return [];
  if (endpointId !== undefined) return [{ path, selector: { endpointId: endpointId.toLowerCase() } }];
  const itself = { path, selector: { oldestOf: 'HTTP' } } as const;
  if (!path.endsWith(suffix)) return [itself];
  const above = path.slice(0, -suffix.length);
  return above.includes('/') ? [{ path: above, selector: { oldestOf: 'PROMETHEUS' } }, itself] : [itself];
}

/** Takes payloads: the whole of G-4.12 but for the limits that the gateway keeps. */
export function receiveAlerts(edges: ReceptionEdges) {
  const find = gather(
    ({ path, selector }: Candidate) => `${path.toLowerCase()} ${Object.values(selector)[0]}`,
    (one) => edges.endpoints.find(one, one.selector),
  );

  async function endpointOf(incoming: PresentedKey): Promise<AlertEndpoint | undefined> {
    const possible = candidates(incoming);
    for (const one of possible) {
      const endpoint = await find(one);
      if (endpoint !== undefined) return endpoint;
    }
    for (const { path, selector } of possible) {
      const id = await edges.locateProject(path);
      if (id !== undefined) return edges.endpoints.find({ id }, selector);
    }
    return undefined;
  }

  /** Whether a key is that of an integration; false where there is none. */
  const isKeyOf = (integration: EndpointIntegration | undefined, { key }: PresentedKey): boolean =>
    timingSafeEqual(edges.keyDigest(key ?? ''), integration?.keyDigest ?? noDigest);

  /** Takes a payload whose sender may send it. */
  async function take(
    endpoint: AlertEndpoint,
    integration: EndpointIntegration,
    { content, userAgent }: Pick<IncomingPayload, 'content' | 'userAgent'>,
    receivedAt: Date,
  ): Promise<Reception> {
    if (content.length > edges.payloadLimit) return { status: 400 };
    const parsed = parsePayload(content);
    if (!integration.active) {
      const isMetrics = parsed !== undefined && isObject(parsed.value) && isMetricsPayload(parsed.value);
      return { status: isMetrics ? 401 : 403 };
    }
    const payload =
      parsed === undefined
        ? undefined
        : readPayload(parsed.value, parsed.text, rulesOf(endpoint, integration.mapping, receivedAt));
    if (payload === undefined) return { status: 400 };
    const receiptId = randomUUID();
    const { projectId } = endpoint;
    const received = { ...payload, receiptId, projectId, integrationId: integration.id, receivedAt };
    try {
      const outcomes = await edges.writer.write({ ...received, wishes: wishesOf(endpoint) }, content.length);
      const isRefused = payload.format === 'custom' && outcomes.every(({ outcome }) => outcome === 'rejected');
      return isRefused ? { status: 400, receiptId } : { status: 200, receiptId, alerts: alertsOf(outcomes) };
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      // Alertmanager tries again after a 5xx alone; after a 429 it drops what it had to say.
      const isAlertmanager = payload.format === 'metrics' || /^alertmanager\//i.test(userAgent);
      return { status: isAlertmanager ? 503 : 429, retryAfter: pause() };
    }
  }

  return {
    /** Takes one payload. Fails with `unavailable` while the database is away. */
    async receiveAlerts(incoming: IncomingPayload): Promise<Reception> {
      const receivedAt = edges.clock();
      const endpoint = await endpointOf(incoming);
      if (endpoint === undefined) return { status: 404 };
      const { integration } = endpoint;
      const isKey = isKeyOf(integration, incoming);
      if (integration !== undefined) return isKey ? take(endpoint, integration, incoming, receivedAt) : { status: 401 };
      return take(endpoint, none, incoming, receivedAt);
    },

    /** Whether a payload with this key would be taken, were its integration active. Fails with `unavailable` while the database is away. */
    checkKey: async (presented: PresentedKey): Promise<boolean> =>
      isKeyOf((await endpointOf(presented))?.integration, presented),

    /** Takes one payload from somebody who may send test alerts. Fails with `unavailable` while the database is away. */
    async receiveTestAlert(projectId: number, integrationId: number, content: Uint8Array): Promise<Reception> {
      const endpoint = await edges.endpoints.find({ id: projectId }, { id: integrationId });
      if (endpoint?.integration === undefined) return { status: 404 };
      return take(endpoint, endpoint.integration, { content, userAgent: '' }, edges.clock());
    },
  };
}

/** What `receiveAlerts` gives. */
export type AlertReception = ReturnType<typeof receiveAlerts>;

/** What the reading of a payload depends on, where it came. */
export const rulesOf = (
  { tier, settings }: AlertEndpoint,
  mapping: PayloadRules['mappings'],
  now: Date,
): PayloadRules => ({
  digest: sha1,
  mappings: hasMapping(tier) ? mapping : [],
  fingerprinting: licensedSettings(settings, tier).fingerprinting ?? false,
  now,
});

const wishesOf = ({ tier, settings }: AlertEndpoint): AlertWishes => ({
  openIncident: licensedSettings(settings, tier).createIssue ?? false,
  sendEmail: settings.sendEmail,
  closeIncident: settings.autoCloseIncident,
});

function alertsOf(outcomes: readonly ItemOutcome[]): { iid: number; title: string }[] {
  const alerts = new Map<number, { iid: number; title: string }>();
  for (const { iid, title = '' } of outcomes) if (iid !== undefined) alerts.set(iid, { iid, title });
  return [...alerts.values()];
}
