import { withJson } from '../../payloads';
import { type HttpIntegration, hasMapping, slugOf } from '../domain/http-integration';

/** Where and for whom an integration is shown. */
export interface HttpIntegrationRendering {
  readonly externalUrl: string;
  /** Current full path of its project. */
  readonly projectPath: string;
  /** Licence tier that applies: attributes it lacks are left out. */
  readonly tier: string;
  /** The key, when it is shown; otherwise its last characters are. */
  readonly key?: string | undefined;
}

/** The address that senders use (G-4.12-1). */
export const integrationUrl = (
  { name, endpointId }: Pick<HttpIntegration, 'name' | 'endpointId'>,
  { externalUrl, projectPath }: Pick<HttpIntegrationRendering, 'externalUrl' | 'projectPath'>,
): string => `${externalUrl}/${projectPath}/alerts/notify/${slugOf(name)}/${endpointId}.json`;

/** The public alert integration (G-13-8), as bytes. */
export function renderHttpIntegration(integration: HttpIntegration, how: HttpIntegrationRendering): Buffer {
  const shown = presentHttpIntegration(integration, how);
  return hasMapping(how.tier)
    ? withJson(shown, 'payload_example', integration.payloadExample)
    : Buffer.from(JSON.stringify(shown));
}

function presentHttpIntegration(integration: HttpIntegration, how: HttpIntegrationRendering) {
  return {
    id: integration.id,
    name: integration.name,
    type: integration.type,
    active: integration.active,
    url: integrationUrl(integration, how),
    token: how.key ?? `****${integration.keyHint}`,
    ...(hasMapping(how.tier)
      ? {
          payload_attribute_mappings: integration.mapping.map(({ field, path, type, label, fallbackPath }) => ({
            field_name: field,
            path,
            type,
            label: label ?? null,
            fallback_path: fallbackPath ?? null,
          })),
        }
      : {}),
    created_at: integration.createdAt,
    updated_at: integration.updatedAt,
  };
}
