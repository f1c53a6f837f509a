import { mentionsIn } from '@switchyard/texts';
import type { Alert, AlertDetails } from './alert';
import { alertSystemNotes } from './alert-system-note';
import { incidentDescription, incidentSeverity, incidentTitle } from './incident';

const alert: Alert = {
  id: 7,
  iid: 3,
  projectId: 1,
  title: 'Disk full',
  severity: 'high',
  status: 'triggered',
  version: 1,
};
const nothing: AlertDetails = {
  startedAt: undefined,
  description: '',
  service: '',
  monitoringTool: '',
  hosts: [],
  environment: '',
  incidentMarkdown: '',
  query: '',
  runbook: '',
  attributes: [],
  cut: [],
};

describe('the incident of an alert', () => {
  it.each([
    ['Disk full', 'Disk full'],
    ['New: Alert', 'New: Incident 12'],
    [' ', 'New: Incident 12'],
    ['a\0b', 'a\uFFFDb'],
  ])('is called after %j', (title, expected) => {
    expect(incidentTitle({ ...alert, title })(12)).toBe(expected);
  });

  it.each([
    ['critical', 'critical'],
    ['low', 'low'],
    ['info', 'unknown'],
    ['unknown', 'unknown'],
  ])('of severity %s is as severe as %s', (severity, expected) => {
    expect(incidentSeverity({ severity })).toBe(expected);
  });

  it('says what is known of the alert, and nothing of what is not', () => {
    expect(incidentDescription(alert, nothing)).toBe('| Alert 3 | |\n| --- | --- |\n| Severity | `high` |');
    expect(
      incidentDescription(alert, {
        startedAt: new Date('2026-11-21T08:30:00.123Z'),
        description: 'The disk\nis full.',
        service: 'store',
        monitoringTool: 'Watcher',
        hosts: ['one', 'two'],
        environment: 'production',
        incidentMarkdown: '## First aid\n- [ ] call @ada',
        query: 'free < 1',
        runbook: 'https://wiki.example/disks#full',
        attributes: [
          { name: 'labels/team', value: 'storage' },
          { name: 'empty', value: '' },
        ],
        cut: [],
      }),
    ).toBe(
      [
        '| Alert 3 | |',
        '| --- | --- |',
        '| Severity | `high` |',
        '| Started | `2026-11-21 08:30:00 UTC` |',
        '| Service | `store` |',
        '| Monitoring tool | `Watcher` |',
        '| Hosts | `one`, `two` |',
        '| Environment | `production` |',
        '| Query | `free < 1` |',
        '| Runbook | <https://wiki.example/disks#full> |',
        '',
        '```text',
        'The disk',
        'is full.',
        '```',
        '',
        '| Attribute | |',
        '| --- | --- |',
        '| `labels/team` | `storage` |',
        '| `empty` |  |',
        '',
        '## First aid',
        '- [ ] call @ada',
      ].join('\n'),
    );
  });

  it('names the texts that were cut', () =>
    expect(incidentDescription(alert, { ...nothing, cut: ['incident_markdown', 'query'] })).toContain(
      '\n| Cut short, whole in the payload of the alert | `incident_markdown`, `query` |',
    ));

  it('mentions only users whom its Markdown mentions, whatever its facts are', () => {
    const hostile = '` @all | @eve\n```\n@mallory\n\0';
    const description = incidentDescription(alert, {
      ...nothing,
      description: hostile,
      service: hostile,
      hosts: [hostile, '`@all'],
      runbook: 'https://x.example/?to=@all',
      attributes: [{ name: hostile, value: hostile }],
      incidentMarkdown: '@ada look',
    });
    expect(mentionsIn(description)).toEqual({ usernames: [], directlyAddressed: ['ada'] });
    expect(description).not.toContain('\0');
    expect(description.split('\n').filter((line) => line.startsWith('| Service'))).toHaveLength(1);
  });

  it.each([
    ['Watcher', '`Watcher`'],
    ['@dev [x](http://evil) <b> **', '`@dev [x](http://evil) <b> **`'],
    ['`@all` ```', '```` `@all` ``` ````'],
    ['a\n\n@all', '`a @all`'],
  ])('and its alert name the tool %j, and do nothing of what it says', (monitoringTool, shown) => {
    const fact = {
      kind: 'raised',
      openIncident: true,
      sendEmail: false,
      details: { ...nothing, monitoringTool },
    } as const;
    const [note] = alertSystemNotes(1, 'triggered', fact, undefined);
    expect(note?.parts).toEqual([`raised this alert as reported by ${shown}`]);
    expect(mentionsIn(note?.parts.join('') ?? '')).toEqual({ usernames: [], directlyAddressed: [] });
    expect(incidentDescription(alert, { ...nothing, monitoringTool })).toContain(`| ${shown} |`);
  });

  it('is no longer than an issue may be', () => {
    const long = incidentDescription(alert, { ...nothing, incidentMarkdown: '\u{1F525}'.repeat(600_000) });
    expect(long.length).toBeLessThanOrEqual(1_048_576);
    expect(long.isWellFormed()).toBe(true);
  });
});
