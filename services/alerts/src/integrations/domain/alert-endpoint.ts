import type { PayloadMapping } from '../../payloads';
import type { AlertSettings } from './alert-settings';
import type { IntegrationType } from './http-integration';

/** The target of an address for payloads. */
export interface AlertEndpoint {
  readonly projectId: number;
  /** Licence tier that applies. */
  readonly tier: string;
  readonly settings: AlertSettings;
  /** Undefined when the address selects none. */
  readonly integration: EndpointIntegration | undefined;
}

/** The integration that an address selects. */
export interface EndpointIntegration {
  readonly id: number;
  readonly keyDigest: Buffer;
  readonly active: boolean;
  readonly mapping: readonly PayloadMapping[];
}

/** Selects an integration in its project: by endpoint id, by id, or the oldest of a type (G-4.12-1). */
export type EndpointSelector =
  | { readonly endpointId: string }
  | { readonly oldestOf: IntegrationType }
  | { readonly id: number };

/** A project by its full path, or by its id. */
export type ProjectName = { readonly path: string } | { readonly id: number };
