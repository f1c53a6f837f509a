import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Express, type RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { openApiDocument } from './openapi';
import type { Route } from './route';

/** The files that the page loads. The package has a page of its own, which describes another API and is not served. */
const files = /^\/(swagger-ui\.css|swagger-ui-(bundle|standalone-preset|init)\.js|favicon-(16x16|32x32)\.png)$/;

const onlyFiles: RequestHandler = (request, _response, next) => next(files.test(request.path) ? undefined : 'router');
/** The document as it is sent, by encoding. */
interface Written {
  readonly tag: string;
  readonly identity: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

async function write(routes: readonly Route[], externalUrl: string): Promise<Written> {
  const identity = Buffer.from(JSON.stringify(openApiDocument(routes, externalUrl)));
  // Brotli's own default takes two seconds for a twentieth less.
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  const [zipped, br] = await Promise.all([promisify(gzip)(identity), promisify(brotliCompress)(identity, quality)]);
  return { tag: `W/"${createHash('sha1').update(identity).digest('base64url')}"`, identity, gzip: zipped, br };
}

/** Mounts the OpenAPI document at `/docs/openapi.json` and a browsable reference at `/docs`. */
export const docs =
  (routes: readonly Route[], externalUrl: string) =>
  (app: Express): void => {
    let written: Promise<Written> | undefined;
    app.get('/docs/openapi.json', async (request, response) => {
      written ??= write(routes, externalUrl);
      const document = await written;
      const encoding = request.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
      response.vary('Accept-Encoding').set('ETag', document.tag).set('Cache-Control', 'public, max-age=300');
      if (encoding !== 'identity') response.set('Content-Encoding', encoding);
      response.type('application/json').send(document[encoding as 'br' | 'gzip' | 'identity']);
    });
    const page = swaggerUi.setup(undefined, {
      customSiteTitle: 'Switchyard API',
      customCss: '.swagger-ui .topbar { display: none }',
      // Without null the page sends the address of the document to a validator outside, unless it runs on localhost.
      swaggerOptions: { url: '/docs/openapi.json', validatorUrl: null },
    });
    // The page alone, not whatever else is requested below it; without the slash its files would be requested beside
    // it.
    app.get('/docs', (request, response, next) =>
      request.path === '/docs' ? response.redirect(301, '/docs/') : page(request, response, next),
    );
    app.use('/docs', Router().use(onlyFiles, swaggerUi.serve));
  };
