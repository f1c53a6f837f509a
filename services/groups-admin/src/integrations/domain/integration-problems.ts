import type { Field, IntegrationKind, TextField } from '@switchyard/integration-kinds';
import { parseExpression } from '@switchyard/patterns';
import { isEmailAddress } from '@switchyard/texts';
import { lengthProblems, note, type Problems } from '../../rules';
import type { Secrets, SettingValue } from './integration';

/** Most recipients of mails. */
export const maxRecipients = 750;

/** Wrong recipients that one refusal names. */
const namedProblems = 5;

const blank = "can't be blank";

/** The addresses of a list that is separated by commas or blanks, each once. */
export const recipientsOf = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ''))];

function recipientProblems(text: string): string[] {
  const recipients = recipientsOf(text);
  const wrong = recipients.filter((one) => !isEmailAddress(one));
  const named = wrong.slice(0, namedProblems).map((one) => one.slice(0, 100));
  const others = wrong.length > named.length ? ` and ${wrong.length - named.length} more` : '';
  return [
    ...(recipients.length > maxRecipients ? [`can't exceed ${maxRecipients}`] : []),
    ...(wrong.length > 0 ? [`are not all e-mail addresses: ${named.join(', ')}${others}`] : []),
  ];
}

const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text);

function expressionProblems(text: string): string[] {
  try {
    parseExpression(text);
    return [];
  } catch {
    return ['is not a valid regular expression'];
  }
}

const matches =
  (pattern: RegExp, problem: string) =>
  (text: string): string[] =>
    pattern.test(text) ? [] : [problem];

const formProblems: Record<NonNullable<TextField['form']>, (text: string) => string[]> = {
  url: (text) => (isWebAddress(text) ? [] : ['must be a valid URL']),
  confluence_url: matches(
    /^https:\/\/[a-z0-9-]+\.atlassian\.net\/wiki(\/\S*)?$/i,
    'must be the address of a Confluence Cloud workspace, such as https://example.atlassian.net/wiki',
  ),
  emails: recipientProblems,
  expression: expressionProblems,
  transitions: matches(/^\s*\d+(\s*[,;]\s*\d+)*\s*$/, 'IDs must be a list of numbers that can be split with , or ;'),
  digits: matches(/^\d+$/, 'is not a number'),
  host: matches(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'is invalid'),
  tags: (text) =>
    text.split(/[\n,]+/).every((tag) => tag.trim() === '' || /^[^:]+:./.test(tag.trim()))
      ? []
      : ['have an invalid format'],
};

function textProblems(field: TextField, text: string): string[] {
  const tooLong = lengthProblems(text, field.max);
  if (tooLong.length > 0) return tooLong;
  if (field.choices !== undefined && !field.choices.includes(text)) return ['is not included in the list'];
  return field.form === undefined ? [] : formProblems[field.form](text);
}

/** Most texts of a list, and most characters of each. */
const [maxItems, maxItem] = [100, 255];

function problemsOf(field: Field, value: SettingValue | undefined): string[] {
  if (value === undefined) return field.required === true ? [blank] : [];
  if (field.type === 'text') return textProblems(field, String(value));
  if (field.type === 'number')
    return Number(value) < field.min || Number(value) > field.max ? ['is not included in the list'] : [];
  if (field.type === 'list') {
    const items = value as readonly string[];
    return items.length > maxItems
      ? [`is too long (maximum is ${maxItems} items)`]
      : items.some((item) => [...item].length > maxItem)
        ? [`has items that are too long (maximum is ${maxItem} characters)`]
        : [];
  }
  return [];
}

/**
 * What is wrong with the settings of an integration, by parameter (G-4.4-2).
 * @param addressProblem why requests to an address would be refused; undefined where they would not
 */
export function settingProblems(
  kind: IntegrationKind,
  values: Readonly<Record<string, SettingValue>>,
  secrets: Secrets,
  addressProblem: (url: string) => string | undefined,
): Problems {
  const problems: Problems = {};
  for (const field of kind.fields) {
    const value = values[field.name] ?? secrets[field.name];
    const found = problemsOf(field, value);
    note(problems, field.name, found);
    if (!kind.sends || found.length > 0 || value === undefined || field.type !== 'text' || field.form !== 'url')
      continue;
    const refused = addressProblem(String(value));
    if (refused !== undefined) note(problems, field.name, [refused]);
  }
  const isBasic = kind.slug === 'jira' && (values.jira_auth_type ?? 0) === 0;
  if (isBasic && values.username === undefined) note(problems, 'username', [blank]);
  return problems;
}
