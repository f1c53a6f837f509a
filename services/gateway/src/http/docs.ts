import { type Express, type RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { openApiDocument } from './openapi';
import type { Route } from './route';

/** What the page loads, of all that comes with it: that has a page of its own, which describes somebody else's API. */
const files = /^\/(swagger-ui\.css|swagger-ui-(bundle|standalone-preset|init)\.js|favicon-(16x16|32x32)\.png)$/;

const onlyFiles: RequestHandler = (request, _response, next) => next(files.test(request.path) ? undefined : 'router');

/** Mounts the OpenAPI document at `/docs/openapi.json` and a browsable reference at `/docs`. */
export const docs =
  (routes: readonly Route[], externalUrl: string) =>
  (app: Express): void => {
    let document: Buffer | undefined;
    app.get('/docs/openapi.json', (_request, response) => {
      document ??= Buffer.from(JSON.stringify(openApiDocument(routes, externalUrl)));
      response.type('application/json').send(document);
    });
    const page = swaggerUi.setup(undefined, {
      customSiteTitle: 'Switchyard API',
      customCss: '.swagger-ui .topbar { display: none }',
      // Without null the page sends the address of the document to a validator outside, unless it runs on localhost.
      swaggerOptions: { url: '/docs/openapi.json', validatorUrl: null },
    });
    // The page alone, not whatever else is asked for below it; without the slash its files would be looked for beside it.
    app.get('/docs', (request, response, next) =>
      request.path === '/docs' ? response.redirect(301, '/docs/') : page(request, response, next),
    );
    app.use('/docs', Router().use(onlyFiles, swaggerUi.serve));
  };
