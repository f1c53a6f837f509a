import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The OpenAPI document of the built gateway, as an installation at `serverUrl` serves it. */
export function document(serverUrl = 'https://switchyard.invalid') {
  const { openApiDocument } = require('@switchyard/gateway/dist/http/openapi.js');
  const { routes } = require('@switchyard/gateway/dist/routes/index.js');
  return openApiDocument(routes, serverUrl);
}
