import type { PayloadMapping } from '../../payloads';

/**
 * Types of integrations. The content decides the format of a payload (G-4.12-3); the type decides which integration an
 * address without id selects.
 */
export const integrationTypes = ['HTTP', 'PROMETHEUS'] as const;

/** Type of an integration. */
export type IntegrationType = (typeof integrationTypes)[number];

/** An endpoint of a project for alerts. */
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
  /** JSON, as received. */
  readonly payloadExample: string | undefined;
  readonly mapping: readonly PayloadMapping[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Integrations a project may have, by its tier: several need Premium. */
export const maxIntegrations = (tier: string): number => (tier === 'free' ? 1 : 100);

/** Whether a tier has the mapping of fields from a sample payload. */
export const hasMapping = (tier: string): boolean => tier !== 'free';

/** Characters of a slug. */
const maxSlugLength = 100;

/** The decorative part of an address: a name in lower case, without what an address would have to escape. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'integration' : plain;
}

/** The fields of an integration that a change writes. */
export type IntegrationFields = Pick<HttpIntegration, 'type' | 'name' | 'active' | 'payloadExample' | 'mapping'>;

/** A key as it is stored. */
export interface StoredKey {
  readonly digest: Buffer;
  readonly hint: string;
}

/** What a new integration is stored with. */
export interface NewIntegration {
  readonly fields: IntegrationFields;
  readonly endpointId: string;
  readonly key: StoredKey;
}
