import { type IntegrationKind, type SwitchName, switchedOn } from './kind';
import { builds } from './kinds/builds';
import { chats } from './kinds/chats';
import { others } from './kinds/others';
import { trackers } from './kinds/trackers';

/** Every kind of integration, by slug. */
export const integrationKinds: readonly IntegrationKind[] = [...chats, ...trackers, ...builds, ...others].sort(
  (a, b) => (a.slug < b.slug ? -1 : 1),
);

const bySlug = new Map(integrationKinds.map((kind) => [kind.slug, kind]));

/** The kind with a slug; undefined for none. */
export const integrationKind = (slug: string): IntegrationKind | undefined => bySlug.get(slug);

/** Parameters of a kind that set a switch with another name. */
export const switchAliases: Readonly<Record<string, { readonly slug: string; readonly sets: 'job_events' }>> = {
  build_events: { slug: 'datadog', sets: 'job_events' },
};

/** Names of the parameters that a kind takes. */
export const parametersOf = ({ slug, fields, switches }: IntegrationKind): string[] => [
  ...fields.map(({ name }) => name),
  ...switches,
  ...Object.keys(switchAliases).filter((name) => switchAliases[name]?.slug === slug),
  'use_inherited_settings',
];

/**
 * Whether a switch of a kind is on until a user switches it off (G-4.4-7). The only switch of a kind is: without it the
 * kind would do nothing.
 */
export const isSwitchedOn = (kind: IntegrationKind | undefined, name: SwitchName): boolean =>
  switchedOn.has(name) || (kind?.switches.length === 1 && kind.switches[0] === name);
