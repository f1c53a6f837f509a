import type { SqlExecutor } from '@switchyard/database';
import type { Sql } from '@switchyard/database/sql';
import type { AlertDetails } from '../domain/alert-event';
import { appendAlertEvents } from './alert.events';

/** Bodies of the events that an alert raised with these details appends. */
async function bodiesOf(details: Partial<AlertDetails>): Promise<string> {
  let bodies = '';
  const executor: SqlExecutor = {
    query: async ({ values }: Sql) => {
      bodies = values.find((value) => typeof value === 'string' && value.startsWith('[')) as string;
      return [];
    },
  };
  const alert = { id: 1, iid: 1, projectId: 1, title: 't', severity: 'high', status: 'triggered', version: 1 } as const;
  const none = { description: undefined, service: undefined, monitoringTool: undefined, runbook: undefined };
  const fact = {
    kind: 'raised',
    openIncident: true,
    sendEmail: true,
    details: {
      ...none,
      startedAt: new Date(0),
      hosts: [],
      environment: undefined,
      incidentMarkdown: undefined,
      query: undefined,
      attributes: [],
      ...details,
    },
  } as const;
  const input = { alert: { ...alert, issueIid: undefined }, actorId: 0, occurredAt: new Date(0), fact };
  await appendAlertEvents(executor, [input], 0);
  return bodies;
}

describe('the details of an alert in an event', () => {
  it.each(['m', 'é', '\u0001', '\u{1F525}', '"'])(
    'fit in a message, whatever the payload contains in %j',
    async (character) => {
      const long = character.repeat(1 << 20);
      const text = character.repeat(1_000);
      const body = await bodiesOf({
        ...{ environment: long, incidentMarkdown: long, query: long, runbook: long, description: text },
        attributes: Array.from({ length: 100 }, (_, at) => ({ name: `${at}${character.repeat(250)}`, value: text })),
      });
      expect(Buffer.byteLength(body)).toBeLessThan(1_000_000);
      expect(/\\ud83d/i.test(body)).toBe(false);
    },
  );

  it('are complete when they fit', async () => {
    const incidentMarkdown = 'm'.repeat(150_000);
    const body = await bodiesOf({ incidentMarkdown });
    expect(body.includes(incidentMarkdown)).toBe(true);
    expect(body.includes('incident_markdown')).toBe(false);
  });

  it('name the texts that are cut', async () => {
    const body = await bodiesOf({
      incidentMarkdown: 'm'.repeat(1_000_000),
      runbook: 'short',
      query: 'q'.repeat(20_000),
    });
    expect(body.slice(-100)).toContain('"cut":["incident_markdown","query"]');
  });
});
