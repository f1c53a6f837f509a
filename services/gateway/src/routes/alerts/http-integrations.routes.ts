import {
  HttpIntegrationServiceService,
  MappedField,
  type PayloadAttributeMappings,
} from '@switchyard/protos/alerts/v1/http_integration';
import { TrialServiceService } from '@switchyard/protos/alerts/v1/trial';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, documented, hashes, integer, jsonText, nullable, oneOf, text, texts } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, oneLine } from '../field-facts';

const path = '/projects/:id/alert_management/http_integrations' as const;
const onePath = `${path}/:integration_id` as const;
const one = { integration_id: integer() };
const keyOf = ({ access, path: at }: { access: { id: number }; path: { integration_id: number } }) => ({
  projectId: access.id,
  integrationId: at.integration_id,
});
const type = oneOf('HTTP', 'PROMETHEUS', 'http', 'prometheus');
/** Bytes of a request that carries a payload of the largest size, escaped. */
const bodyLimit = 16 << 20;

const prefix = 'MAPPED_FIELD_';
const mappableFields = Object.values(MappedField)
  .filter((field) => field !== MappedField.MAPPED_FIELD_UNSPECIFIED)
  .map((field) => field.slice(prefix.length).toLowerCase());

/** Keys that lead to a value; the service takes names and types in capitals and small letters alike. */
const payloadPath = { minItems: 1, maxItems: 100 };
const mapping = hashes({
  field_name: documented(text(), { enum: mappableFields }),
  path: documented(texts(), payloadPath),
  type: documented(text(), { enum: ['STRING', 'DATETIME', 'ARRAY'] }),
  label: documented(nullable(text()), atMost(255)).optional(),
  fallback_path: documented(texts(), { maxItems: payloadPath.maxItems }).optional(),
});

type WrittenMapping = {
  field_name: string;
  path: string[];
  type: string;
  label?: string | null | undefined;
  fallback_path?: string[] | undefined;
}[];

const toMapping = (written: WrittenMapping | undefined): PayloadAttributeMappings | undefined =>
  written && {
    mappings: written.map((given) => ({
      fieldName: given.field_name,
      path: given.path,
      type: given.type,
      label: given.label ?? '',
      fallbackPath: given.fallback_path ?? [],
    })),
  };

/** Alert integrations of projects (G-13-8). */
export const httpIntegrationRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'HTTP integrations',
    summary: 'List the alert integrations of a project',
    access: { project: 'read_alert_configuration' },
    list: {},
    returns: { 200: ['HttpIntegration'] },
    handle: ({ access, page, call }) =>
      call(HttpIntegrationServiceService).listHttpIntegrations({ projectId: access.id, page }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'HTTP integrations',
    summary: 'Create an alert integration',
    docs: {
      description:
        'Create an address that monitoring tools send alerts to. The reply is the only one that holds its key.',
      example: { name: 'Monitoring', active: true, type: 'HTTP' },
    },
    access: { project: 'admin_alerts' },
    params: {
      name: documented(text(), oneLine),
      active: boolean(),
      type: type.default('HTTP'),
      payload_example: jsonText().optional(),
      payload_attribute_mappings: mapping.optional(),
    },
    bodyLimit,
    returns: { 201: 'HttpIntegration' },
    handle: ({ params, access, call }) =>
      call(HttpIntegrationServiceService).createHttpIntegration({
        projectId: access.id,
        name: params.name,
        active: params.active,
        type: params.type.toUpperCase(),
        payloadExample: params.payload_example ?? '',
        mapping: toMapping(params.payload_attribute_mappings),
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'HTTP integrations',
    summary: 'Get an alert integration',
    access: { project: 'read_alert_configuration' },
    path_params: one,
    returns: { 200: 'HttpIntegration' },
    handle: ({ call, ...at }) => call(HttpIntegrationServiceService).getHttpIntegration(keyOf(at)),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'HTTP integrations',
    summary: 'Change an alert integration',
    docs: { example: { active: false } },
    access: { project: 'admin_alerts' },
    path_params: one,
    params: {
      name: documented(text(), oneLine).optional(),
      active: boolean().optional(),
      type: type.optional(),
      payload_example: jsonText().optional(),
      payload_attribute_mappings: mapping.optional(),
    },
    relations: [atLeastOne('name', 'active', 'type', 'payload_example', 'payload_attribute_mappings')],
    bodyLimit,
    returns: { 200: 'HttpIntegration' },
    handle: ({ params, call, ...at }) =>
      call(HttpIntegrationServiceService).updateHttpIntegration({
        ...keyOf(at),
        name: params.name,
        active: params.active,
        type: params.type?.toUpperCase(),
        payloadExample: params.payload_example,
        mapping: toMapping(params.payload_attribute_mappings),
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'HTTP integrations',
    summary: 'Delete an alert integration',
    docs: { fails: [412] },
    access: { project: 'admin_alerts' },
    path_params: one,
    returns: { 204: undefined },
    handle: ({ unmodifiedSince, call, ...at }) =>
      call(HttpIntegrationServiceService).deleteHttpIntegration({
        ...keyOf(at),
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/reset_token`,
    section: 'HTTP integrations',
    summary: 'Give an alert integration a new key',
    docs: { description: 'Make a new key; the old one ends at once. The reply is the only one that holds it.' },
    access: { project: 'admin_alerts' },
    path_params: one,
    returns: { 201: 'HttpIntegration' },
    handle: ({ call, ...at }) => call(HttpIntegrationServiceService).resetHttpIntegrationToken(keyOf(at)),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/test`,
    section: 'HTTP integrations',
    summary: 'Send a test alert to an alert integration',
    docs: { description: 'Take a payload as if a monitoring tool had sent it.' },
    access: { project: 'update_alerts' },
    path_params: one,
    params: { payload: jsonText() },
    bodyLimit,
    returns: { 201: 'AlertTest' },
    handle: ({ params, call, ...at }) =>
      call(TrialServiceService).sendTestAlert({
        ...keyOf(at),
        payload: params.payload,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/preview`,
    section: 'HTTP integrations',
    summary: 'Show what a payload would become',
    docs: { description: 'Read a payload by the mappings given, or by those of the integration. Nothing is stored.' },
    access: { project: 'admin_alerts' },
    path_params: one,
    params: { payload: jsonText().optional(), payload_attribute_mappings: mapping.optional() },
    bodyLimit,
    returns: { 200: 'AlertPayloadPreview' },
    handle: ({ params, call, ...at }) =>
      call(TrialServiceService).previewPayload({
        ...keyOf(at),
        payload: params.payload ?? '',
        mapping: toMapping(params.payload_attribute_mappings),
      }),
  }),
];
