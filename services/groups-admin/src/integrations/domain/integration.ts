import type { SwitchName } from '@switchyard/integration-kinds';
import type { Parent } from '../../parents';

/** Where an integration is. */
export type IntegrationPlace = Parent | { readonly kind: 'instance'; readonly id: 0 };

/** The value of a setting. */
export type SettingValue = string | number | boolean | readonly string[];

/** Switches that were set; the others have their defaults (G-4.4-7). */
export type Switches = Readonly<Partial<Record<SwitchName, boolean>>>;

/** What is stored of an integration beside its secrets. */
export interface IntegrationRow {
  readonly id: number;
  readonly slug: string;
  readonly active: boolean;
  /** Its settings are those of the nearest place above that has its own. */
  readonly inherits: boolean;
  /** Settings that are no secrets, by parameter. */
  readonly values: Readonly<Record<string, SettingValue>>;
  readonly switches: Switches;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Secrets by parameter. */
export type Secrets = Readonly<Record<string, string>>;

/** What a place has of one kind. */
export interface Found<Row extends IntegrationRow = IntegrationRow> {
  /** The row of the place itself. */
  readonly own: Row | undefined;
  /** The row with settings of its own of the nearest place above that has one. */
  readonly above: Row | undefined;
}

/** An integration as it counts in a place. */
export interface Effective<Row extends IntegrationRow = IntegrationRow> {
  /** The row whose settings count. */
  readonly source: Row;
  /** The row that the place shows. */
  readonly row: Row;
  readonly inherited: boolean;
  readonly active: boolean;
}

/**
 * What counts in a place: its own settings, or those of the nearest place above, active or not (G-4.4-6). Undefined where
 * it was never set up, here or, actively, above.
 */
export function effectiveOf<Row extends IntegrationRow>({ own, above }: Found<Row>): Effective<Row> | undefined {
  if (own !== undefined && !own.inherits) return { source: own, row: own, inherited: false, active: own.active };
  if (above === undefined)
    return own === undefined ? undefined : { source: own, row: own, inherited: false, active: false };
  if (own === undefined && !above.active) return undefined;
  return { source: above, row: own ?? above, inherited: true, active: above.active };
}
