import { levels } from '@switchyard/rights';
import { headerLine, type Mail } from '../../mail';
import { type Alert, type AlertDetails, alertFacts } from './alert';

/** Least access level of the users who get a mail for a new alert (G-4.12-11). */
export const alertMailLevel = levels.maintainer;

/** Where an alert lies, as a mail says it. */
interface AlertLocation {
  /** Full path of the project. */
  readonly path: string;
  /** Address of the alert. */
  readonly url: string;
}

/** The mail about a new alert. */
export function alertMail(alert: Alert, details: AlertDetails, { path, url }: AlertLocation): Mail {
  const facts = [{ name: 'Alert', values: [alert.title] }, ...alertFacts(alert.severity, details)];
  const width = Math.max(...facts.map(({ name }) => name.length)) + 2;
  const lines = [
    `A new alert was raised in ${path}.`,
    '',
    ...facts.map(({ name, values }) => `${`${name}:`.padEnd(width)}${values.map(headerLine).join(', ')}`),
    ...(details.runbook === '' ? [] : [`${'Runbook:'.padEnd(width)}${headerLine(details.runbook)}`]),
    ...(details.description === '' ? [] : ['', details.description.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD')]),
    '',
    url,
    '',
    '-- ',
    `You are told because you are an Owner or Maintainer of ${path}.`,
  ];
  return {
    cause: `alert.raised.${alert.id}`,
    event: 'alert',
    target: { type: 'AlertManagement::Alert', id: alert.id, iid: alert.iid },
    projectId: alert.projectId,
    accessLevel: alertMailLevel,
    heedsLevel: true,
    subject: headerLine(`${path} | Alert ${alert.iid} (${alert.severity}): ${alert.title}`),
    body: `${lines.join('\n').toWellFormed()}\n`,
    headers: {
      'X-Switchyard-Project-Id': String(alert.projectId),
      'X-Switchyard-Project-Path': path,
      'X-Switchyard-Alert-Id': String(alert.id),
      'X-Switchyard-Alert-Iid': String(alert.iid),
    },
  };
}
