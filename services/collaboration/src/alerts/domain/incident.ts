import { asCode, fenceFor, isBlank, oneLine } from '@switchyard/texts';
import { type IssueSeverity, maxDescriptionLength } from '../../issues';
import { type Alert, type AlertDetails, alertFacts } from './alert';

/** Title that an alert has when its payload gave none (api.md section 2). */
const untitled = 'New: Alert';

/** Title of the incident of an alert (G-4.12-11). */
export const incidentTitle =
  (alert: Pick<Alert, 'title'>) =>
  (iid: number): string => {
    const title = oneLine(plain(alert.title));
    return title === untitled || isBlank(title) ? `New: Incident ${iid}` : title;
  };

const severities: readonly string[] = ['low', 'medium', 'high', 'critical'] satisfies IssueSeverity[];

/** Severity of the incident of an alert; issues know no `info`. */
export const incidentSeverity = ({ severity }: Pick<Alert, 'severity'>): IssueSeverity =>
  severities.includes(severity) ? (severity as IssueSeverity) : 'unknown';

/** What PostgreSQL cannot hold as text becomes U+FFFD. */
const plain = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** A text as code inside a cell of a table. */
const cell = (text: string): string => asCode(text.replaceAll('|', '\\|'));

/** An address of the web without what Markdown or a mention could make of it. */
const plainAddress = /^https?:\/\/[\w.:/?=&%~+,;-]+(?:#[A-Za-z][\w./-]*)?$/;

function table(heading: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  return [`| ${heading} | |`, '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`), ''];
}

/**
 * Description of the incident of an alert: the facts as a table, its description, its further attributes, and the
 * Markdown that the payload brings. Only the latter is Markdown of the sender's; everything else is shown as it came.
 */
export function incidentDescription(alert: Alert, details: AlertDetails): string {
  const facts = alertFacts(alert.severity, details).map(
    ({ name, values }) => [name, values.map(cell).join(', ')] as const,
  );
  const { runbook, description, attributes, incidentMarkdown } = details;
  const address = plainAddress.test(runbook) ? `<${runbook}>` : cell(runbook);
  const fence = fenceFor(description, 3);
  const known = plain(
    [
      ...table(`Alert ${alert.iid}`, runbook === '' ? facts : [...facts, ['Runbook', address]]),
      ...(description === '' ? [] : [`${fence}text`, description, fence, '']),
      ...table(
        'Attribute',
        attributes.map(({ name, value }) => [cell(name), value === '' ? '' : cell(value)] as const),
      ),
    ].join('\n'),
  );
  const text = incidentMarkdown === '' ? known : `${known}\n${plain(incidentMarkdown)}`;
  return text.slice(0, maxDescriptionLength).toWellFormed().trimEnd();
}
