/** A text on one or more lines, or one of the forms that the field states. */
export interface TextField {
  readonly type: 'text';
  /** It is a password, a token or an address that is one: stored encrypted, and shown to no one (G-4.4-5). */
  readonly secret?: true;
  /** What it has to be; any text where it is left out. */
  readonly form?: TextForm;
  /** The only values, in the order in which they are listed. */
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Most characters. */
  readonly max: number;
}

/**
 * Forms of a text: an address of the web, a list of e-mail addresses, a regular expression, ids of transitions, digits, a
 * host name, tags `name:value`.
 */
export type TextForm = 'url' | 'confluence_url' | 'emails' | 'expression' | 'transitions' | 'digits' | 'host' | 'tags';

/** On or off. */
export interface FlagField {
  readonly type: 'flag';
  readonly default?: boolean;
}

/** A whole number in a range. */
export interface NumberField {
  readonly type: 'number';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}

/** Several texts. */
export interface ListField {
  readonly type: 'list';
}

/** A setting of an integration by the name of its parameter. */
export type Field = (TextField | FlagField | NumberField | ListField) & {
  readonly name: string;
  /** Without it, or with a blank one, the integration is refused. */
  readonly required?: true;
};

/** The switches of integrations (G-4.4-7). */
export const switchNames = [
  'commit_events',
  'push_events',
  'issues_events',
  'incident_events',
  'alert_events',
  'confidential_issues_events',
  'merge_requests_events',
  'tag_push_events',
  'deployment_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'job_events',
  'comment_on_event_enabled',
  'vulnerability_events',
  'work_item_events',
  'confidential_work_item_events',
  'subgroup_events',
  'project_events',
] as const;

/** The name of a switch. */
export type SwitchName = (typeof switchNames)[number];

/** The switches that are on until a user switches them off (G-4.4-7). */
export const switchedOn: ReadonlySet<SwitchName> = new Set([
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'tag_push_events',
  'note_events',
  'confidential_note_events',
  'wiki_page_events',
  'commit_events',
  'comment_on_event_enabled',
]);

/** A kind of integration. */
export interface IntegrationKind {
  /** Its name in paths. */
  readonly slug: string;
  readonly title: string;
  readonly fields: readonly Field[];
  /** The switches that a request may set: what the kind takes. */
  readonly switches: readonly SwitchName[];
  /** What it does, in one sentence; where it sends nothing, why. */
  readonly does: string;
  /** It sends, or has mails sent. */
  readonly sends: boolean;
  /** There is none of a group or of the instance (G-4.4-8). */
  readonly projectOnly?: true;
  /** It is created by its installation, and a request can only change it; the name that the refusals have (G-4.4-8). */
  readonly installed?: string;
  /** A request cannot disable it (G-4.4-4). */
  readonly permanent?: true;
  /** It is there in development alone (G-4.4-8). */
  readonly development?: true;
}

const longest = 10_000;

/** Most characters of an address. */
const longestUrl = 2_048;

type More = { readonly required?: true };
type TextMore = More & Pick<TextField, 'choices' | 'default' | 'form'> & { readonly max?: number };

/** Makes a field required. */
export const required = { required: true } as const;

/** A text. */
export const text = (name: string, { max = longest, ...more }: TextMore = {}): Field => ({
  name,
  type: 'text',
  max,
  ...more,
});

/** A text that is never shown. */
export const secret = (name: string, more: TextMore = {}): Field => ({
  ...(text(name, more) as TextField & { name: string }),
  secret: true,
});

/** An address of the web. */
export const url = (name: string, more: More = {}): Field => text(name, { form: 'url', max: longestUrl, ...more });

/** An address of the web that is as good as a password. */
export const secretUrl = (name: string, more: More = {}): Field =>
  secret(name, { form: 'url', max: longestUrl, ...more });

/** A flag. */
export const flag = (name: string, standard?: boolean): Field => ({
  name,
  type: 'flag',
  ...(standard === undefined ? {} : { default: standard }),
});

/** A whole number. */
export const number = (name: string, range: { min: number; max: number; default?: number }): Field => ({
  name,
  type: 'number',
  ...range,
});

/** Several texts. */
export const list = (name: string): Field => ({ name, type: 'list' });

/** The branches that the events of pushes and pipelines are taken of (G-4.4-9). */
export const branches = (standard: 'default' | 'all' = 'default'): readonly Field[] => [
  text('branches_to_be_notified', {
    choices: ['all', 'default', 'protected', 'default_and_protected'],
    default: standard,
  }),
  ...(standard === 'default' ? [flag('notify_only_default_branch')] : []),
];
