import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Replies are data: a browser that is led to one loads, runs and frames nothing. */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
  },
  // TLS ends at the operator's proxy, whose word on it stands.
  strictTransportSecurity: false,
  crossOriginResourcePolicy: false,
  frameguard: { action: 'sameorigin' },
});

/**
 * What the reference page needs more: its own files, pictures that stand in its style sheet, calls of the API that it
 * describes. Styles alone may stand in the page: Swagger UI sets them on its elements.
 * @param externalUrl address that the page calls, which may not be the one it was opened under
 */
export const referencePolicy = (externalUrl: string): RequestHandler =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'", new URL(externalUrl).origin],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'self'"],
    },
  });

/** What a page with a form needs more: to send it to this installation. */
export const formPolicy: RequestHandler = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'self'"], frameAncestors: ["'none'"] },
});

/**
 * What the pages need more: their own files, and calls of the API beside them. Nothing may stand in the page itself, and
 * no text becomes markup.
 */
export const pagePolicy: RequestHandler = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
});
