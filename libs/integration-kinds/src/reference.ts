import type { Field, IntegrationKind } from './kind';
import { integrationKinds, isSwitchedOn, parametersOf, switchAliases } from './kinds';

const code = (text: string): string => `\`${text}\``;

const requiredOf = ({ fields }: IntegrationKind): string[] =>
  fields.filter(({ required }) => required).map(({ name }) => code(name));

/** A table of the kinds with the parameters that each takes, in Markdown. */
export function kindTable(): string {
  const rows = integrationKinds.map((kind) => {
    const needed = new Set(requiredOf(kind));
    const others = parametersOf(kind)
      .map(code)
      .filter((name) => !needed.has(name) && name !== code('use_inherited_settings'));
    return `| ${code(kind.slug)} | ${[...needed].join(', ')} | ${others.join(', ')} |`;
  });
  return ['| kind | required | further |', '|---|---|---|', ...rows].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function limitsOf(field: Field): string {
  const parts = [
    ...(field.required === true ? ['required'] : []),
    ...(field.type === 'text' && field.secret === true ? ['secret'] : []),
    ...(field.type === 'text' && field.choices !== undefined ? [field.choices.map(code).join(', ')] : []),
    ...(field.type === 'text' && field.form !== undefined ? [forms[field.form]] : []),
    ...(field.type === 'number' ? [`${field.min} to ${field.max}`] : []),
    ...('default' in field && field.default !== undefined ? [`default ${code(String(field.default))}`] : []),
  ];
  return parts.join('; ');
}

const forms: Readonly<Record<string, string>> = {
  url: 'address of the web',
  confluence_url: 'address of a workspace of Confluence Cloud',
  emails: 'at most 750 e-mail addresses, separated by commas or blanks',
  expression: 'regular expression (RE2)',
  transitions: 'ids, separated by commas',
  digits: 'digits',
  host: 'host name',
  tags: 'tags `name:value`, one a line',
};

const types: Readonly<Record<Field['type'], string>> = {
  text: 'text',
  flag: 'boolean',
  number: 'integer',
  list: 'texts',
};

function notesOf(kind: IntegrationKind): string[] {
  return [
    ...(kind.projectOnly === true ? ['Of projects alone.'] : []),
    ...(kind.installed !== undefined ? ['A request changes it, but cannot create it.'] : []),
    ...(kind.permanent === true ? ['A request cannot disable it.'] : []),
    ...(kind.development === true ? ['Where `SWITCHYARD_DEVELOPMENT_INTEGRATIONS` is on.'] : []),
  ];
}

/** A setting as JSON Schema, for requests. */
function settingSchema(field: Field): Record<string, unknown> {
  const standard = 'default' in field && field.default !== undefined ? { default: field.default } : {};
  if (field.type === 'flag') return { type: 'boolean', ...standard };
  if (field.type === 'number') return { type: 'integer', minimum: field.min, maximum: field.max, ...standard };
  if (field.type === 'list') return { type: 'array', items: { type: 'string' } };
  const { max, choices, form, secret } = field;
  return {
    type: 'string',
    maxLength: max,
    ...(choices === undefined ? {} : { enum: choices }),
    ...standard,
    ...(form === undefined ? {} : { description: `${forms[form]?.charAt(0).toUpperCase()}${forms[form]?.slice(1)}.` }),
    ...(secret === true ? { writeOnly: true } : {}),
  };
}

/** Name of the component that describes the settings of a kind: `slack` has `SlackIntegrationSettings`. */
const componentOf = ({ slug }: IntegrationKind): string =>
  `${slug.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}IntegrationSettings`;

/** The parameters of kinds as JSON Schema, by the names of their components: what each needs, and what it takes. */
export const kindSchemas = (kinds: readonly IntegrationKind[]): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    kinds.map((kind) => {
      const needed = kind.fields.filter(({ required }) => required).map(({ name }) => name);
      const switches = kind.switches.map((name) => [name, { type: 'boolean', default: isSwitchedOn(kind, name) }]);
      const aliases = Object.keys(switchAliases).filter((name) => switchAliases[name]?.slug === kind.slug);
      return [
        componentOf(kind),
        {
          title: `${kind.title} (${kind.slug})`,
          description: [kind.does, ...notesOf(kind)].join(' '),
          type: 'object',
          ...(needed.length === 0 ? {} : { required: needed }),
          properties: Object.fromEntries([
            ...kind.fields.map((field) => [field.name, settingSchema(field)]),
            ...switches,
            ...aliases.map((name) => [name, { type: 'boolean' }]),
          ]),
        },
      ];
    }),
  );

function sectionOf(kind: IntegrationKind): string[] {
  const fields = kind.fields.map(
    (field) => `| ${code(field.name)} | ${types[field.type]} | ${cell(limitsOf(field))} |`,
  );
  const switches = kind.switches.map((name) => `${code(name)}${isSwitchedOn(kind, name) ? '' : ' (off)'}`);
  return [
    `### ${kind.title}: ${code(kind.slug)}`,
    '',
    [kind.does, ...notesOf(kind)].join(' '),
    ...(fields.length === 0 ? [] : ['', '| parameter | type | |', '|---|---|---|', ...fields]),
    ...(switches.length === 0 ? [] : ['', `Switches: ${switches.join(', ')}.`]),
    '',
  ];
}

/** The part of `docs/integrations.md` that follows from the table of kinds. */
export const kindReference = (): string =>
  [
    `## Kinds that send (${integrationKinds.filter(({ sends }) => sends).length})`,
    '',
    ...integrationKinds.filter(({ sends }) => sends).flatMap(sectionOf),
    `## Kinds that are stored and listed (${integrationKinds.filter(({ sends }) => !sends).length})`,
    '',
    ...integrationKinds.filter(({ sends }) => !sends).flatMap(sectionOf),
  ].join('\n');
