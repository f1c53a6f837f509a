import { isAppError } from '@switchyard/errors';
import type { Express, NextFunction, Request, Response } from 'express';
import { measureRoute } from '../http/access-log';
import { bodyMemory } from '../http/body-memory';
import { addressKey } from '../http/client-address';
import { receiveBody } from '../http/receive-body';

/** Bytes of the form at the most: it holds one secret. */
const bodyLimit = 1 << 10;

const minimumRate = { graceMs: 3_000, bytesPerMs: Number.POSITIVE_INFINITY };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

/** What a refusal says, without the status in front of it. */
const reasonOf = (error: { body: Record<string, unknown> }): string =>
  String(error.body.message).replace(/^\d{3} [A-Za-z ]+ - /, '');

/** A page that a link in a mail leads to, and what its button does. */
export interface FormPage {
  /** Path below the external address, such as `/-/confirmation`. */
  readonly path: string;
  readonly title: string;
  /** What the page asks. */
  readonly question: string;
  readonly button: string;
  /** What the secret of a link looks like. */
  readonly tokenForm: RegExp;
  readonly invalidLink: string;
  /** Programs post to the address of the link as it is (RFC 8058): the secret then is in the address, not in the form. */
  readonly oneClick?: true;
  /**
   * Does what the button says; returns what the page says afterwards.
   * @throws AppError bad_request with the text of what is wrong with the link
   */
  act(token: string, requestId: string): Promise<string>;
}

/**
 * Mounts a page that a link in a mail leads to. Opening it changes nothing, since readers of mail open links as well: its
 * button does. The page needs no script.
 * @param externalUrl address of the installation; its path stands before every address
 */
export const formPage =
  ({ path, title, question, button, tokenForm, invalidLink, oneClick, act }: FormPage, externalUrl: string) =>
  (app: Express): void => {
    const base = new URL(externalUrl).pathname.replace(/\/+$/, '');
    // Forms that are received at the same time, and of one address.
    const memory = bodyMemory(256 * bodyLimit, 8 * bodyLimit);

    const pageOf = (content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`;

    function send(response: Response, status: number, content: string): void {
      // The address of the page holds the secret: no cache and no log of another site may keep it.
      response.status(status).set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
      response.type('html').send(pageOf(content));
    }

    const ofAddress = (request: Request): string =>
      new URL(request.originalUrl, 'http://localhost').searchParams.get('token') ?? '';

    async function press(request: Request, response: Response): Promise<void> {
      const hold = memory.holder(response, addressKey(request.ip));
      const body = await receiveBody(request, response, { limit: bodyLimit, minimumRate, hold });
      const sent = new URLSearchParams(body.toString()).get('token') ?? '';
      const token = sent === '' && oneClick ? ofAddress(request) : sent;
      if (!tokenForm.test(token)) return send(response, 400, paragraph(invalidLink));
      const requestId = response.getHeader('X-Request-Id') as string;
      try {
        send(response, 200, paragraph(await act(token, requestId)));
      } catch (error) {
        if (!isAppError(error, 'bad_request')) throw error;
        send(response, 400, paragraph(reasonOf(error)));
      }
    }

    app.get(path, (request, response) => {
      const token = ofAddress(request);
      if (!tokenForm.test(token)) return send(response, 400, paragraph(invalidLink));
      send(
        response,
        200,
        `<form method="post" action="${escaped(base + path)}">
<input type="hidden" name="token" value="${escaped(token)}">
<p>${escaped(question)}</p>
<button type="submit">${escaped(button)}</button>
</form>`,
      );
    });
    app.post(path, (request: Request, response: Response, next: NextFunction) => {
      measureRoute(response, 'POST', path);
      press(request, response).catch(next);
    });
  };
