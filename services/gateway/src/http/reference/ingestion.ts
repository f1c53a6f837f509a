import { idempotencyKey } from './parameters';
import { replayed } from './responses';
import type { Section } from './sections';

type Json = Record<string, unknown>;

const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
const plain = { 'text/plain': { schema: { type: 'string' } } };

/** Failures have no body but that of 429: senders are programs that check the status alone. */
const responses: Json = {
  200: {
    description: 'The payload has been taken.',
    headers: {
      ...replayed,
      'X-Alert-Receipt': {
        description: 'Id of the receipt, which says what became of each item.',
        schema: { type: 'string', format: 'uuid' },
      },
    },
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/NotifiedAlert' } } },
    },
  },
  400: {
    description:
      'The payload is too large, no JSON object, or nothing of it could be stored; or the `Idempotency-Key` is not valid.',
  },
  401: { description: 'The key is wrong.' },
  403: { description: 'The integration is not active.' },
  404: { description: 'There is no such project or integration.' },
  409: {
    description:
      'The first request with this `Idempotency-Key` is not done (with `Retry-After`), or its outcome is unknown.',
    headers: retryAfter,
  },
  415: { description: 'The encoding of the body is not supported.' },
  422: { description: 'The `Idempotency-Key` was used for another payload.' },
  429: { description: 'A limit is reached; Alertmanager gets 503.', headers: retryAfter, content: plain },
  503: { description: 'It cannot be taken now, and is to be sent again.', headers: retryAfter },
};

const parameter = (name: string, description: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 1 },
});

const projectPath = parameter(
  'project_path',
  'Full path of the project, URL-encoded or not; with `/prometheus` behind it the integration for Alertmanager.',
);

const operation = (operationId: string, summary: string, description: string, parameters: Json[]): Json => ({
  operationId,
  summary,
  description: `${description}\n\n- Access: senders with the key of the integration.\n- The body may be compressed: gzip or deflate.`,
  tags: ['Alert inlet' satisfies Section],
  security: [{ alert_key: [] }, { alert_key_as_password: [] }],
  parameters: [...parameters, idempotencyKey],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          anyOf: [{ $ref: '#/components/schemas/AlertPayload' }, { $ref: '#/components/schemas/AlertmanagerPayload' }],
        },
        examples: {
          alert: { value: { title: 'Disk almost full', severity: 'high', hosts: ['db-1'], fingerprint: 'disk-db-1' } },
          alertmanager: {
            value: {
              version: '4',
              groupKey: '{}:{alertname="DiskFull"}',
              status: 'firing',
              receiver: 'switchyard',
              alerts: [
                {
                  status: 'firing',
                  labels: { alertname: 'DiskFull' },
                  annotations: {},
                  startsAt: '2030-01-01T00:00:00Z',
                },
              ],
            },
          },
        },
      },
    },
  },
  responses,
});

/** The addresses of alert ingestion, which lie beside the API. `server` is the installation itself. */
export const ingestionPaths = (server: string): Record<string, Json> => {
  const servers = [{ url: server }];
  const text =
    'Takes a payload of a monitoring tool: one alert in the plain form, or those of an Alertmanager webhook. The address can end with `.json`.';
  return {
    '/{project_path}/alerts/notify': {
      servers,
      post: operation('notifyAlerts', 'Send alerts to a project', text, [projectPath]),
    },
    '/{project_path}/alerts/notify/{name}/{endpoint_id}': {
      servers,
      post: operation('notifyAlertsOfIntegration', 'Send alerts to an integration', text, [
        projectPath,
        parameter('name', 'Name of the integration; any text will do.'),
        parameter('endpoint_id', 'Id of the endpoint: the last part of the address of the integration.'),
      ]),
    },
  };
};

/** How senders of alerts sign in. */
export const ingestionSecuritySchemes: Json = {
  alert_key: { type: 'http', scheme: 'bearer', description: 'Key of an alert integration.' },
  alert_key_as_password: { type: 'http', scheme: 'basic', description: 'The key as password, with any user name.' },
};
