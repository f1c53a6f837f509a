import { isAppError } from '@switchyard/errors';
import type { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import { anonymous, type RpcClient } from '@switchyard/rpc';
import { observeHttp } from '@switchyard/telemetry';
import type { Express, NextFunction, Request, Response } from 'express';
import { bodyMemory } from '../../http/body-memory';
import { addressKey } from '../../http/client-address';
import { receiveBody } from '../../http/receive-body';

const path = '/-/confirmation';

/** The secret of a link. */
const tokenForm = /^\d{1,15}-[A-Za-z0-9_-]{43}$/;

/** Bytes of the form at the most: it holds one secret. */
const bodyLimit = 1 << 10;

/** Forms that are received at the same time, and of one address. */
const memory = bodyMemory(256 * bodyLimit, 8 * bodyLimit);

const minimumRate = { graceMs: 3_000, bytesPerMs: Number.POSITIVE_INFINITY };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** @param content markup, whose texts are escaped */
const pageOf = (content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Confirmation of an e-mail</title>
</head>
<body>
<main>
<h1>Confirmation of an e-mail</h1>
${content}
</main>
</body>
</html>
`;

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

function send(response: Response, status: number, content: string): void {
  // The address of the page holds the secret: no cache and no log of another site may keep it.
  response.status(status).set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  response.type('html').send(pageOf(content));
}

/** What a refusal says, without the status in front of it. */
const reasonOf = (error: { body: Record<string, unknown> }): string =>
  String(error.body.message).replace(/^\d{3} [A-Za-z ]+ - /, '');

const invalidLink = 'Confirmation token is invalid';

/**
 * Mounts the page that a link in a mail leads to. Opening it changes nothing, since readers of mail open links as well:
 * its button confirms the address. The page needs no script.
 * @param externalUrl address of the installation; its path stands before every address
 */
export const confirmationPage =
  ({
    emails,
    externalUrl,
  }: {
    emails: Pick<RpcClient<typeof UserEmailServiceService>, 'confirmUserEmail'>;
    externalUrl: string;
  }) =>
  (app: Express): void => {
    const base = new URL(externalUrl).pathname.replace(/\/+$/, '');

    async function confirm(request: Request, response: Response): Promise<void> {
      const hold = memory.holder(response, addressKey(request.ip));
      const body = await receiveBody(request, response, { limit: bodyLimit, minimumRate, hold });
      const token = new URLSearchParams(body.toString()).get('token') ?? '';
      if (!tokenForm.test(token)) return send(response, 400, paragraph(invalidLink));
      const requestId = response.getHeader('X-Request-Id') as string;
      try {
        const { email } = await emails.confirmUserEmail({ token }, { requestId, actor: anonymous });
        send(response, 200, paragraph(`${email} is confirmed.`));
      } catch (error) {
        if (!isAppError(error, 'bad_request')) throw error;
        send(response, 400, paragraph(reasonOf(error)));
      }
    }

    app.get(path, (request, response) => {
      const token = new URL(request.originalUrl, 'http://localhost').searchParams.get('token') ?? '';
      if (!tokenForm.test(token)) return send(response, 400, paragraph(invalidLink));
      send(
        response,
        200,
        `<form method="post" action="${escaped(base + path)}">
<input type="hidden" name="token" value="${escaped(token)}">
<p>Is this e-mail address yours?</p>
<button type="submit">Confirm it</button>
</form>`,
      );
    });
    app.post(path, (request: Request, response: Response, next: NextFunction) => {
      const done = observeHttp('POST', path);
      response.once('finish', () => done(response.statusCode));
      confirm(request, response).catch(next);
    });
  };
