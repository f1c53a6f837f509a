/** A request that an integration sends. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** False accepts any certificate; default true. */
  readonly verifyTls?: boolean;
  /** Names of headers that are secret. */
  readonly secretHeaders?: readonly string[];
}

/** A mail that an integration has sent to many. */
export interface OutgoingMail {
  readonly recipients: readonly string[];
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The mails of one thread have the same. */
  readonly thread: string;
}

/** The settings of an integration, defaults included. */
export interface SenderSettings {
  /** Blank for none. */
  text(name: string): string;
  flag(name: string): boolean;
  number(name: string): number;
}

/** A JSON request. */
export const jsonRequest = (
  url: string,
  body: unknown,
  { headers = {}, ...more }: Partial<Omit<OutgoingRequest, 'url' | 'body'>> = {},
): OutgoingRequest => ({
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...more,
});

/** The header of a user with a password. */
export const basic = (user: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** An address below another one, whose query stays. */
export function below(base: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, value);
  return url.href;
}

/** The names of a list that commas separate. */
export const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** A text within HTML or XML. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** A body as it may be shown: some receivers read their secrets from it. */
export const withoutSecrets = (body: string, secrets: readonly string[]): string =>
  secrets
    .flatMap((secret) => [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), secret])
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[REDACTED]'), body);
