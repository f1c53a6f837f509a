import { readAddress } from './addresses';
import { OutboundRefused } from './refused';

/** A request to the outside. */
export interface PreparedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** An http or https address; a user and password in it are sent as `Authorization: Basic`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** False accepts any certificate; default true. */
  readonly verifyTls?: boolean;
  /**
   * Names of headers that are secret: they go to the first host alone, and `shownHeaders` masks them. `Authorization`
   * and `Cookie` always are.
   */
  readonly secretHeaders?: readonly string[];
  /** The address as it may be shown, where parts of it are secret; it is not sent. */
  readonly shownUrl?: string;
  /** The body as it may be shown, where parts of it are secret; it is not sent. */
  readonly shownBody?: string;
}

/** A request that was checked. */
export interface CheckedRequest extends PreparedRequest {
  readonly target: URL;
  /** Names in lower case. */
  readonly secret: ReadonlySet<string>;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a value must not have.
const unsendable = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;
const maxHeaderValue = 8_192;

/** Headers that frame a message or belong to one connection. */
const framing = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const secretAlways = ['authorization', 'cookie'];

/** What is wrong with a header of a request, undefined for none; line breaks are never sent. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!token.test(name)) return 'the name of a header may have letters, digits and -_. alone';
  if (framing.has(name.toLowerCase())) return `the header ${name} is set by the connection`;
  if (unsendable.test(value))
    return `the value of the header ${name} has line breaks or characters that cannot be sent`;
  return value.length > maxHeaderValue ? `the value of the header ${name} is too long` : undefined;
}

/** What is wrong with an address of a request, undefined for none; whether it may be reached is another question. */
export function urlProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an http or https address';
  // Parsers of addresses drop line breaks and tabs: what is sent would not be what is shown.
  if (/\p{Cc}/u.test(text)) return 'has line breaks or control characters';
  const url = new URL(text);
  if (url.hostname.startsWith('[') && readAddress(url.hostname) === undefined) return 'has no valid host';
  return url.port === '0' ? 'has no valid port' : undefined;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * A request that can be sent as it is.
 * @throws OutboundRefused invalid
 */
export function checkRequest(request: PreparedRequest, maxRequestBytes: number): CheckedRequest {
  const problem =
    urlProblem(request.url) ??
    Object.entries(request.headers).reduce<string | undefined>(
      (found, [name, value]) => found ?? headerProblem(name, value),
      undefined,
    );
  if (problem !== undefined) throw new OutboundRefused('invalid', `The request cannot be sent: ${problem}`);
  if (Buffer.byteLength(request.body ?? '') > maxRequestBytes) {
    throw new OutboundRefused('invalid', `The request is larger than ${maxRequestBytes} bytes`);
  }
  const target = new URL(request.url);
  const { username, password } = target;
  const secret = new Set([...secretAlways, ...(request.secretHeaders ?? []).map((name) => name.toLowerCase())]);
  if (username === '' && password === '') return { ...request, target, secret };
  target.username = '';
  target.password = '';
  const isGiven = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const headers = isGiven ? request.headers : { ...request.headers, Authorization: `Basic ${basic}` };
  return { ...request, headers, target, secret };
}

/** The headers of a request as they may be shown: the values of secret ones are `[REDACTED]`. */
export function shownHeaders({ headers, secretHeaders = [] }: PreparedRequest): Record<string, string> {
  const secret = new Set([...secretAlways, ...secretHeaders.map((name) => name.toLowerCase())]);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.has(name.toLowerCase()) ? '[REDACTED]' : value]),
  );
}
