import { parseExpression, wildcardProblem } from '@switchyard/patterns';
import { lengthProblems, note, type Problems, refuse } from '../../rules';
import { switchesOf } from './switches';
import { readTemplate, TemplateProblem } from './template';
import type { BranchStrategy, Place, WebhookChange, WebhookContent, WebhookSecrets } from './webhook';

/** What the way out says of an address or a header; undefined for nothing. */
export interface RequestRules {
  url(text: string): string | undefined;
  header(name: string, value: string): string | undefined;
}

/** Webhooks of one place, as GitLab has it. */
export const maxWebhooks = { project: 100, group: 50, instance: 100 } as const;

const maxUrl = 2_048;
const maxFilter = 255;
const maxEntries = 20;
const maxValue = 2_048;
const entryName = /^[A-Za-z]([A-Za-z0-9_.-]{0,253}[A-Za-z0-9])?$/;
const variable = /\{([A-Za-z][A-Za-z0-9_.-]*)\}/g;
const strategies: readonly string[] = ['wildcard', 'regex', 'all_branches'] satisfies BranchStrategy[];

/** An address with the values of its variables in their places. */
export const filledUrl = (url: string, variables: Readonly<Record<string, string>>): string =>
  url.replace(variable, (whole, name: string) => (Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole));

/** Variables that an address names. */
export const variablesIn = (url: string): string[] => [...url.matchAll(variable)].map(([, name = '']) => name);

/** Bytes of the key of a signing token (Standard Webhooks: 24 to 64); undefined for another text. */
function signingBytes(token: string): number | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token) ?? [];
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  return base64 !== '' && base64.length % 4 === 0 ? bytes : undefined;
}

function entryProblems(
  entries: Readonly<Record<string, string>>,
  more: (name: string, value: string) => string | undefined,
): string[] {
  const found = Object.entries(entries);
  return [
    ...(found.length > maxEntries ? [`has too many entries (maximum is ${maxEntries})`] : []),
    ...found.flatMap(([name, value]) => {
      if (!entryName.test(name)) return [`has the key ${JSON.stringify(name.slice(0, 100))}, which is invalid`];
      if (value === '') return [`has no value for ${name}`];
      if (value.length > maxValue)
        return [`has a value for ${name} that is too long (maximum is ${maxValue} characters)`];
      return more(name, value) ?? [];
    }),
  ];
}

function filterProblems({ branchFilter = '', branchStrategy }: WebhookContent): string[] {
  if (branchFilter === '') return [];
  const problems = lengthProblems(branchFilter, maxFilter);
  if (branchStrategy === 'wildcard') return [...problems, ...(wildcardProblem(branchFilter) ?? [])].flat();
  if (branchStrategy === 'all_branches' || problems.length > 0) return problems;
  try {
    parseExpression(branchFilter);
    return [];
  } catch {
    return ['is not a valid regular expression'];
  }
}

function templateProblems({ template }: WebhookContent): string[] {
  if (template === undefined) return [];
  try {
    readTemplate(template);
    return [];
  } catch (error) {
    if (error instanceof TemplateProblem) return [error.message];
    throw error;
  }
}

function tokenProblems({ token, signingToken }: WebhookSecrets, rules: RequestRules): Problems {
  const problems: Problems = {};
  const bytes = signingToken === undefined ? 32 : signingBytes(signingToken);
  const unsendable = token === undefined ? undefined : rules.header('X-Gitlab-Token', token);
  note(problems, 'token', unsendable === undefined ? [] : [unsendable]);
  note(
    problems,
    'signing_token',
    bytes !== undefined && bytes >= 24 && bytes <= 64 ? [] : ['must be whsec_ with 24 to 64 bytes as base64'],
  );
  return problems;
}

/**
 * What is wrong with a webhook, by field.
 * @throws AppError invalid, with every problem at once
 */
export function requireSound(content: WebhookContent, rules: RequestRules): WebhookContent {
  const { url, secrets } = content;
  const filled = filledUrl(url, secrets.variables);
  const missing = variablesIn(url).filter((name) => !Object.hasOwn(secrets.variables, name));
  const problems: Problems = tokenProblems(secrets, rules);
  note(problems, 'url', [
    ...lengthProblems(filled, maxUrl),
    ...missing.map((name) => `has the variable {${name}}, which has no value`),
    ...(missing.length === 0 ? [rules.url(filled) ?? []].flat() : []),
  ]);
  note(problems, 'name', lengthProblems(content.name, 255));
  note(problems, 'description', lengthProblems(content.description, 2_048));
  note(problems, 'push_events_branch_filter', filterProblems(content));
  note(problems, 'branch_filter_strategy', strategies.includes(content.branchStrategy) ? [] : ['is invalid']);
  note(problems, 'custom_webhook_template', templateProblems(content));
  note(problems, 'custom_headers', entryProblems(secrets.headers, rules.header));
  note(
    problems,
    'url_variables',
    entryProblems(secrets.variables, () => undefined),
  );
  refuse(problems);
  return content;
}

const orNone = (text: string | undefined, stored: string | undefined): string | undefined =>
  text === undefined ? stored : text === '' ? undefined : text;

/** A new webhook without anything set but its defaults. */
export const blank = (place: Place): WebhookContent => ({
  url: '',
  name: undefined,
  description: undefined,
  events: Object.entries(switchesOf[place.kind]).flatMap(([name, on]) => (on ? name : [])),
  branchFilter: undefined,
  branchStrategy: 'wildcard',
  verifyTls: true,
  template: undefined,
  secrets: { token: undefined, signingToken: undefined, headers: {}, variables: {} },
});

/** A webhook as a change leaves it, not yet checked. */
export function changed(place: Place, content: WebhookContent, change: WebhookChange): WebhookContent {
  const { secrets } = content;
  return {
    url: change.url?.trim() ?? content.url,
    name: orNone(change.name, content.name),
    description: orNone(change.description, content.description),
    events: Object.keys(switchesOf[place.kind]).filter(
      (name) => change.switches[name] ?? content.events.includes(name),
    ),
    branchFilter: orNone(change.branchFilter, content.branchFilter),
    branchStrategy: (change.branchStrategy ?? content.branchStrategy) as BranchStrategy,
    verifyTls: change.verifyTls ?? content.verifyTls,
    template: orNone(change.template, content.template),
    secrets: {
      token: orNone(change.token, secrets.token),
      signingToken: orNone(change.signingToken, secrets.signingToken),
      headers: change.headers ?? secrets.headers,
      variables: change.variables ?? secrets.variables,
    },
  };
}
