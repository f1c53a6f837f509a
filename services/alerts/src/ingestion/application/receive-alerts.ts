import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { retrySeconds, retryStatusFor } from '@switchyard/errors';
import { nestsDeeperThan } from '@switchyard/json';
import { isStorable } from '@switchyard/texts';
import type { ItemOutcome } from '../../alerts';
import type { AlertEndpoint, EndpointIntegration, EndpointSelector, KeyDigest, ProjectName } from '../../integrations';
import { hasMapping, licensedSettings } from '../../integrations';
import type { PayloadRules } from '../../payloads';
import { isMetricsPayload, isObject, maxPayloadDepth, parseJson, readPayload } from '../../payloads';
import type { AlertPolicy } from '../domain/alert-batch';
import { type AlertWriter, Overloaded } from './alert-writer';
import { coalesce } from './coalesce';

/** Where a payload was sent, and with which key. */
export interface PresentedKey {
  /** The path before `/alerts/notify`: full path of a project, with or without `/prometheus`. */
  readonly path: string;
  /** Undefined for an address without one. */
  readonly endpointId: string | undefined;
  /** Undefined when none was presented. */
  readonly key: string | undefined;
}

/** A payload as received. */
export interface IncomingPayload extends PresentedKey {
  readonly content: Uint8Array;
  readonly userAgent: string;
}

/** The reply to the sender (the table of G-4.12-3). */
export type IngestionReply =
  | {
      readonly status: 200;
      readonly receiptId: string;
      /** Alerts that were raised, counted or resolved, each once, in the order of the payload. */
      readonly alerts: readonly { readonly iid: number; readonly title: string }[];
    }
  | {
      /** 400 with a receipt: the payload was read, and no item could be stored. */
      readonly status: 400 | 401 | 403 | 404;
      readonly receiptId?: string;
    }
  | {
      readonly status: 429 | 503;
      /** Seconds. */
      readonly retryAfter: number;
    };

/** Finds the endpoint of an address. */
export interface AlertEndpoints {
  /** Undefined when the replica has no such project, or alerts are disabled in it. */
  find(project: ProjectName, selector: EndpointSelector): Promise<AlertEndpoint | undefined>;
}

/** What the ingestion is built from. */
export interface IngestionEdges {
  readonly endpoints: AlertEndpoints;
  /**
   * Id of a project that the replica does not find by this path: a new or a renamed one. Undefined when there is none.
   */
  readonly locateProject: (path: string) => Promise<number | undefined>;
  readonly writer: AlertWriter;
  readonly keyDigest: KeyDigest;
  /** Largest payload, bytes. */
  readonly payloadLimit: number;
  readonly clock: () => Date;
}

/** Compared when there is no integration, so that its absence takes the same time. */
const noDigest = Buffer.alloc(32);

/** Stands for a missing integration: it refuses payloads as an inactive one does. */
const none: EndpointIntegration = { id: 0, keyDigest: noDigest, active: false, mapping: [] };

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A payload as text and as a value; undefined when it is not JSON in UTF-8, or nests too deeply. */
export function parsePayload(content: Uint8Array): { text: string; value: unknown } | undefined {
  // Checked before parsing: the parser recurses.
  if (nestsDeeperThan(maxPayloadDepth, content)) return undefined;
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
const maxPathLength = 20 * 256;

/** False for paths that are too long, and for text that PostgreSQL refuses. */
const isName = (path: string): boolean => path.length <= maxPathLength && isStorable(path);

/**
 * The projects and integrations that an address may mean, the likelier first: addresses of a project called
 * `prometheus` look like those of the metrics endpoint of a parent.
 */
function candidates({ path, endpointId }: PresentedKey): Candidate[] {
  if (!isName(path)) return [];
  if (endpointId !== undefined) return [{ path, selector: { endpointId: endpointId.toLowerCase() } }];
  const itself = { path, selector: { oldestOf: 'HTTP' } } as const;
  if (!path.endsWith(suffix)) return [itself];
  const above = path.slice(0, -suffix.length);
  return above.includes('/') ? [{ path: above, selector: { oldestOf: 'PROMETHEUS' } }, itself] : [itself];
}

/** Receives payloads by G-4.12, except for the limits that the gateway applies. */
export function receiveAlerts(edges: IngestionEdges) {
  const find = coalesce(
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

  /** Stores a payload whose sender has the right key. */
  async function store(
    endpoint: AlertEndpoint,
    integration: EndpointIntegration,
    { content, userAgent }: Pick<IncomingPayload, 'content' | 'userAgent'>,
    receivedAt: Date,
  ): Promise<IngestionReply> {
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
      const outcomes = await edges.writer.write({ ...received, policy: policyOf(endpoint) }, content.length);
      const isRefused = payload.format === 'custom' && outcomes.every(({ outcome }) => outcome === 'rejected');
      return isRefused ? { status: 400, receiptId } : { status: 200, receiptId, alerts: alertsOf(outcomes) };
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      return {
        status: payload.format === 'metrics' ? 503 : retryStatusFor(userAgent),
        retryAfter: retrySeconds(),
      };
    }
  }

  return {
    /** Receives one payload. Fails with `unavailable` while the database cannot be reached. */
    async receiveAlerts(incoming: IncomingPayload): Promise<IngestionReply> {
      const receivedAt = edges.clock();
      const endpoint = await endpointOf(incoming);
      if (endpoint === undefined) return { status: 404 };
      const { integration } = endpoint;
      const isKey = isKeyOf(integration, incoming);
      if (integration !== undefined)
        return isKey ? store(endpoint, integration, incoming, receivedAt) : { status: 401 };
      return store(endpoint, none, incoming, receivedAt);
    },

    /**
     * Whether a key is right, also for an inactive integration. Fails with `unavailable` while the database cannot be
     * reached.
     */
    checkKey: async (presented: PresentedKey): Promise<boolean> =>
      isKeyOf((await endpointOf(presented))?.integration, presented),

    /**
     * Receives one test payload; the caller may send some. Fails with `unavailable` while the database cannot be
     * reached.
     */
    async receiveTestAlert(projectId: number, integrationId: number, content: Uint8Array): Promise<IngestionReply> {
      const endpoint = await edges.endpoints.find({ id: projectId }, { id: integrationId });
      if (endpoint?.integration === undefined) return { status: 404 };
      return store(endpoint, endpoint.integration, { content, userAgent: '' }, edges.clock());
    },
  };
}

/** What `receiveAlerts` returns. */
export type AlertIngestion = ReturnType<typeof receiveAlerts>;

/** The rules by which payloads of an endpoint are read. */
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

const policyOf = ({ tier, settings }: AlertEndpoint): AlertPolicy => ({
  openIncident: licensedSettings(settings, tier).createIssue ?? false,
  sendEmail: settings.sendEmail,
  closeIncident: settings.autoCloseIncident,
});

function alertsOf(outcomes: readonly ItemOutcome[]): { iid: number; title: string }[] {
  const alerts = new Map<number, { iid: number; title: string }>();
  for (const { iid, title = '' } of outcomes) if (iid !== undefined) alerts.set(iid, { iid, title });
  return [...alerts.values()];
}
