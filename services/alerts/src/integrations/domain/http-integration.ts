import type { PayloadMapping } from '../../payloads';

/** Kinds of integrations. The payload tells its format itself (G-4.12-3); the kind decides which one an address without id selects. */
export const integrationTypes = ['HTTP', 'PROMETHEUS'] as const;

/** Kind of an integration. */
export type IntegrationType = (typeof integrationTypes)[number];

/** Where a project takes alerts. */
export interface HttpIntegration {
  readonly id: number;
  readonly projectId: number;
  readonly type: IntegrationType;
  readonly name: string;
  /** 16 hex characters, unique in the instance; it alone selects the integration (G-4.12-1). */
  readonly endpointId: string;
  /** Last four characters of the key. */
  readonly keyHint: string;
  readonly active: boolean;
  /** JSON, as it was given. */
  readonly payloadExample: string | undefined;
  readonly mapping: readonly PayloadMapping[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Integrations a project may have, by its tier: several need Premium. */
export const mostIntegrations = (tier: string): number => (tier === 'free' ? 1 : 100);

/** Whether a tier has the mapping of fields from a sample payload. */
export const hasMapping = (tier: string): boolean => tier !== 'free';

/** Longest slug, characters. */
const longestSlug = 100;

/** The decorative part of an address: a name in lower case, without what an address would have to escape. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'integration' : plain;
}

/** What is written of an integration. */
export type IntegrationFields = Pick<HttpIntegration, 'type' | 'name' | 'active' | 'payloadExample' | 'mapping'>;

/** A key as it is stored. */
export interface StoredKey {
  readonly digest: Buffer;
  readonly hint: string;
}
