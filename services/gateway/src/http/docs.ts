import type { Express } from 'express';
import swaggerUi from 'swagger-ui-express';
import { openApiDocument } from './openapi';
import type { Route } from './route';

/** Mounts the OpenAPI document at `/docs/openapi.json` and a browsable reference at `/docs`. */
export const docs =
  (routes: readonly Route[], externalUrl: string) =>
  (app: Express): void => {
    let document: Buffer | undefined;
    app.get('/docs/openapi.json', (_request, response) => {
      document ??= Buffer.from(JSON.stringify(openApiDocument(routes, externalUrl)));
      response.type('application/json').send(document);
    });
    app.use(
      '/docs',
      swaggerUi.serve,
      swaggerUi.setup(undefined, {
        customSiteTitle: 'Switchyard API',
        customCss: '.swagger-ui .topbar { display: none }',
        // Without null the page sends the address of the document to a validator outside, unless it runs on localhost.
        swaggerOptions: { url: '/docs/openapi.json', validatorUrl: null },
      }),
    );
  };
