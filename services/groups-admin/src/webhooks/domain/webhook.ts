import type { Health } from './health';
import type { PlaceKind } from './switches';

/** Where a webhook is; id 0 for the instance. */
export interface Place {
  readonly kind: PlaceKind;
  readonly id: number;
}

/** How the filter of branches is read. */
export type BranchStrategy = 'wildcard' | 'regex' | 'all_branches';

/** What a webhook does not show. */
export interface WebhookSecrets {
  readonly token: string | undefined;
  /** `whsec_` and base64. */
  readonly signingToken: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
}

/** What a user sets of a webhook. */
export interface WebhookContent {
  readonly url: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Switches that are on. */
  readonly events: readonly string[];
  readonly branchFilter: string | undefined;
  readonly branchStrategy: BranchStrategy;
  readonly verifyTls: boolean;
  readonly template: string | undefined;
  readonly secrets: WebhookSecrets;
}

/** What is stored beside what a user sets. */
export interface StoredFacts extends Health {
  readonly id: number;
  readonly place: Place;
  readonly uuid: string;
  readonly createdAt: Date;
}

/** A stored webhook. */
export interface Webhook extends WebhookContent, StoredFacts {}

/** A stored webhook as it may be shown: of its secrets the names alone. */
export interface ShownWebhook extends Omit<WebhookContent, 'secrets'>, StoredFacts {
  readonly headerNames: readonly string[];
  readonly variableNames: readonly string[];
}

/** A change of a webhook; what is undefined stays. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly token?: string | undefined;
  readonly signingToken?: string | undefined;
  readonly branchFilter?: string | undefined;
  readonly branchStrategy?: string | undefined;
  readonly verifyTls?: boolean | undefined;
  readonly template?: string | undefined;
  readonly switches: Readonly<Record<string, boolean>>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}
