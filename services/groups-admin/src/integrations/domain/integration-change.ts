import { AppError, invalidParams, notFound, unprocessable } from '@switchyard/errors';
import {
  type Field,
  type IntegrationKind,
  integrationKind,
  type SwitchName,
  switchAliases,
} from '@switchyard/integration-kinds';
import { refuse } from '../../rules';
import type { Found, IntegrationPlace, Secrets, SettingValue, Switches } from './integration';
import { settingProblems } from './integration-problems';

/** What a request sends, by parameter. */
export type Sent = Readonly<Record<string, SettingValue>>;

/** What is stored of an integration after a change. */
export interface NextIntegration {
  readonly active: boolean;
  readonly inherits: boolean;
  readonly values: Readonly<Record<string, SettingValue>>;
  readonly switches: Switches;
  readonly secrets: Secrets;
}

/** What is read for a decision. */
export interface Facts extends Found {
  /** The secrets of the place's own row; undefined where they cannot be decrypted. */
  readonly secrets: Secrets | undefined;
}

const noSettings = { inherits: false, values: {}, switches: {}, secrets: {} } as const;

/** The kind with a slug, where the installation has it; undefined for none. */
const kindOf = (slug: string, isDevelopment: boolean): IntegrationKind | undefined => {
  const kind = integrationKind(slug);
  return kind?.development === true && !isDevelopment ? undefined : kind;
};

function refuseElsewhere(kind: IntegrationKind, place: IntegrationPlace): void {
  if (kind.projectOnly === true && place.kind !== 'project')
    throw new AppError('bad_request', '400 Integration not available');
}

/**
 * The kind that a request reads or disables.
 * @throws AppError invalid_params for an unknown slug; bad_request where the place cannot have it (G-4.4-3)
 */
export function kindToRead(slug: string, place: IntegrationPlace, isDevelopment: boolean): IntegrationKind {
  const kind = kindOf(slug, isDevelopment);
  if (kind === undefined) throw invalidParams('slug does not have a valid value');
  refuseElsewhere(kind, place);
  return kind;
}

/**
 * The kind that a request sets up.
 * @throws AppError not_allowed for an unknown slug; bad_request where the place cannot have it (G-4.4-2)
 */
export function kindToSet(slug: string, place: IntegrationPlace, isDevelopment: boolean): IntegrationKind {
  const kind = kindOf(slug, isDevelopment);
  if (kind === undefined) throw new AppError('not_allowed', { error: '405 Not Allowed' });
  refuseElsewhere(kind, place);
  return kind;
}

/** The refusal of an integration that was never set up. */
export const integrationNotFound = (): AppError => notFound('Integration');

/** The parameter that stands for a value of `branches_to_be_notified` (G-4.4-11). */
export const onlyDefaultBranch = 'notify_only_default_branch';

const isBlank = (value: SettingValue): boolean =>
  Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === '';

/** What was sent, with parameters that stand for others replaced by them. */
function meant(kind: IntegrationKind, sent: Sent): Sent {
  const { [onlyDefaultBranch]: onlyDefault, ...rest } = sent;
  const takes = kind.fields.some(({ name }) => name === onlyDefaultBranch);
  const switches = Object.entries(switchAliases).flatMap(([name, { slug, sets }]) =>
    slug === kind.slug && sent[name] !== undefined ? [[sets, sent[name]] as const] : [],
  );
  return {
    ...(takes && onlyDefault !== undefined
      ? { branches_to_be_notified: onlyDefault === true ? 'default' : 'all' }
      : {}),
    ...Object.fromEntries(switches),
    ...rest,
  };
}

/** Settings with those that were sent; a blank one takes a setting away. */
function merged<Value extends SettingValue>(
  fields: readonly Field[],
  stored: Readonly<Record<string, Value>>,
  sent: Sent,
): Record<string, Value> {
  const names = new Set(fields.map(({ name }) => name));
  const all = Object.entries({ ...stored, ...sent } as Record<string, Value>);
  return Object.fromEntries(all.filter(([name, value]) => names.has(name) && !isBlank(value)));
}

/** Whether an address changes: secrets that were not sent would go to the new one. */
const movesAddress = (kind: IntegrationKind, before: Sent, after: Sent): boolean =>
  kind.fields.some(
    (field) =>
      field.type === 'text' &&
      (field.form === 'url' || field.form === 'host') &&
      before[field.name] !== after[field.name],
  );

const isSecret = (field: Field): boolean => field.type === 'text' && field.secret === true;

/**
 * Sets an integration up, or changes it (G-4.4-2, G-4.4-6, G-4.4-7). What was not sent stays; of a place that had the
 * settings of another it is what it had from there, but for secrets: those stay where they are. Secrets that were not
 * sent do not follow an address that changes either; those that cannot be decrypted are refused.
 * @throws AppError unprocessable for a kind that only its installation creates; invalid with every problem at once
 */
export function decideSet(
  kind: IntegrationKind,
  { own, above, secrets: stored }: Facts,
  given: { readonly sent: Sent; readonly useInherited: boolean },
  addressProblem: (url: string) => string | undefined,
): NextIntegration {
  if (kind.installed !== undefined && own === undefined)
    throw unprocessable(`You cannot create the ${kind.installed} integration from the API`);
  if (given.useInherited && above !== undefined) return { ...noSettings, inherits: true, active: true };
  const isOwn = own !== undefined && !own.inherits;
  const before = isOwn ? own : above;
  const sent = meant(kind, given.sent);
  const plain = kind.fields.filter((field) => !isSecret(field) && field.name !== onlyDefaultBranch);
  const values = merged(plain, before?.values ?? {}, sent);
  const secretFields = kind.fields.filter(isSecret);
  const kept = isOwn && !movesAddress(kind, own.values, values) ? stored : {};
  // Which of them are stored nobody knows: what is not sent would be gone, also when their key comes back.
  const lost = kept === undefined ? secretFields.filter(({ name }) => sent[name] === undefined) : [];
  refuse(Object.fromEntries(lost.map(({ name }) => [name, ['cannot be decrypted, and must be given']])));
  const secrets = merged(secretFields, kept ?? {}, sent) as Secrets;
  refuse(settingProblems(kind, values, secrets, addressProblem));
  const set = kind.switches.filter((name) => typeof sent[name] === 'boolean');
  const switches = { ...before?.switches, ...Object.fromEntries(set.map((name: SwitchName) => [name, sent[name]])) };
  return { active: true, inherits: false, values, switches, secrets };
}

/**
 * Disables an integration: all settings are forgotten, and the place no longer has those of places above (G-4.4-4).
 * @param unmodifiedSince whole seconds, as a header carries them
 * @throws AppError not_found where it was never set up; unprocessable for a kind that cannot be disabled; precondition_failed when it
 *   changed after `unmodifiedSince`
 */
export function decideDisable(kind: IntegrationKind, { own, above }: Facts, unmodifiedSince?: Date): NextIntegration {
  if (kind.permanent === true) throw unprocessable(`You cannot disable the ${kind.installed} integration from the API`);
  if (own === undefined && above?.active !== true) throw integrationNotFound();
  const changedAt = Math.floor((own?.updatedAt.getTime() ?? 0) / 1_000) * 1_000;
  if (unmodifiedSince !== undefined && changedAt > unmodifiedSince.getTime()) throw new AppError('precondition_failed');
  return { ...noSettings, active: false };
}
