import type { Field, IntegrationKind } from './kind';
import { integrationKinds, isSwitchedOn, parametersOf } from './kinds';

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
