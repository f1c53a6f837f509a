import { integrationKind, isSwitchedOn, switchNames } from '@switchyard/integration-kinds';
import type { Effective } from '../domain/integration';
import { onlyDefaultBranch } from '../domain/integration-change';

/** Switches of things that a listing does not have (api.md 2, Group integration; G-2-25). */
const unlisted: ReadonlySet<string> = new Set([
  'work_item_events',
  'confidential_work_item_events',
  'subgroup_events',
  'project_events',
]);
const listed = switchNames.filter((name) => !unlisted.has(name));

/** An integration of a listing (G-4.4-1); every switch is shown, whether its kind has it or not (G-4.4-7). */
export const presentIntegration = ({ row, source, inherited, active }: Effective) => ({
  id: row.id,
  title: integrationKind(row.slug)?.title ?? row.slug,
  slug: row.slug,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
  active,
  ...Object.fromEntries(
    listed.map((name) => [name, source.switches[name] ?? isSwitchedOn(integrationKind(row.slug), name)]),
  ),
  inherited,
});

/** An integration with its settings, without those that are secret; null where one is not set (G-4.4-5). */
export function presentIntegrationWithProperties(effective: Effective) {
  const { slug, values } = effective.source;
  const fields = integrationKind(slug)?.fields ?? [];
  const properties = Object.fromEntries(
    fields
      .filter((field) => field.type !== 'text' || field.secret !== true)
      .map((field) => [field.name, values[field.name] ?? ('default' in field ? field.default : undefined) ?? null]),
  );
  if (onlyDefaultBranch in properties) properties[onlyDefaultBranch] = properties.branches_to_be_notified === 'default';
  return { ...presentIntegration(effective), properties };
}
