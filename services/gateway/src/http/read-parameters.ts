import { isUtf8 } from 'node:buffer';
import { AppError, invalidParams } from '@switchyard/errors';
import busboy from 'busboy';
import type { Request, Response } from 'express';
import express from 'express';
import qs from 'qs';
import { isTooDeep, parseWritten, WrittenNumber, writtenMembers } from './json-bytes';

/** Parameters of a request before they have types. */
export type RawParameters = Record<string, unknown>;

/** Size of a body unless the route says otherwise, bytes (D3). */
export const defaultBodyLimit = 5 << 20;

/** Nesting of JSON and brackets that is read (D3). */
const maxDepth = 32;

/** Keys of a query string or form; more are refused (D3). */
const maxKeys = 1_000;

/** Names that would reach an object's prototype. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** How a body is read. */
export interface BodyRules {
  /** Most bytes. */
  readonly limit: number;
  /** Parameters that stay the text they are where a JSON body has an object: somebody else's, of any names and numbers. */
  readonly asWritten: ReadonlySet<string>;
}

/** Reads query string and body into one set; the body wins over the query (G-1-2). */
export async function readParameters(
  request: Request,
  response: Response,
  { limit, asWritten }: BodyRules,
): Promise<RawParameters> {
  const query = readQuery(request);
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return query;
  if (type === 'multipart/form-data') return { ...query, ...(await readMultipart(request, limit)) };
  const body = await readBytes(request, response, limit);
  if (body.length === 0) return query;
  if (type === 'application/json' || type.endsWith('+json')) return { ...query, ...readJson(body, asWritten) };
  if (type === 'application/x-www-form-urlencoded') return { ...query, ...readPairs(pairsOf(textOf(body))) };
  // A GET with a body of some other type is served without it.
  if (request.method === 'GET' || request.method === 'HEAD') return query;
  throw new AppError('unsupported_media_type', { error: `The provided content-type '${type}' is not supported.` });
}

/** Reads the query string alone; the body stays unread. */
export function readQuery(request: Request): RawParameters {
  const at = request.url.indexOf('?');
  // Node refuses request lines that are not ASCII.
  return at === -1 ? {} : readPairs(pairsOf(request.url.slice(at + 1)));
}

const notText = () => invalidParams('parameters are not valid UTF-8');

/** Bytes as text. Replaced in silence, those that are none would come back as something that nobody has sent. */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notText();
  return bytes.toString('utf8');
}

/** A name or value as it was before it was written into a query string or form. */
function decode(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '));
  } catch {
    // A per cent sign that begins no escape is refused too: taken literally, the escapes around it would stay as they are.
    throw notText();
  }
}

type Pair = readonly [name: string, value: string];

function pairsOf(written: string): Pair[] {
  // Counted before anything is made of them.
  let keys = 1;
  for (let at = written.indexOf('&'); at !== -1; at = written.indexOf('&', at + 1)) keys += 1;
  if (keys > maxKeys) throw invalidParams('too many parameters');
  return written
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    });
}

/**
 * Numbers the hashes of an array, as Rack does: `a[][b]` begins the next one where the one before has it already. Other names stay.
 * @returns a function that takes the names in their order
 */
function numberHashes(): (name: string) => string {
  const last = new Map<string, { index: number; known: Set<string> }>();
  return (name) => {
    const at = name.indexOf('[][');
    if (at === -1) return name;
    const [array, inner] = [name.slice(0, at), name.slice(at + 2)];
    let hash = last.get(array) ?? { index: 0, known: new Set() };
    if (hash.known.has(inner) && !inner.endsWith('[]')) hash = { index: hash.index + 1, known: new Set() };
    hash.known.add(inner);
    last.set(array, hash);
    return `${array}[${hash.index}]${inner}`;
  };
}

/** Nests what was written in brackets. Of what is sent twice under one name the last counts, unless the name is that of an array (`a[]`). */
function readPairs(pairs: readonly Pair[]): RawParameters {
  const values: Record<string, string | string[]> = {};
  const numbered = numberHashes();
  for (const [given, value] of pairs) {
    if (given.split(/[[\]]+/).some((part) => forbiddenKeys.has(part))) throw invalidParams('parameter name is invalid');
    const name = numbered(given);
    const before = Object.hasOwn(values, name) && name.endsWith('[]') ? (values[name] ?? []) : [];
    values[name] = name.endsWith('[]') ? [before, value].flat() : value;
  }
  try {
    // What qs makes of an object's keys does not depend on whether their values are texts, whatever its types say.
    return qs.parse(values as Record<string, string>, {
      depth: 5,
      strictDepth: true,
      arrayLimit: maxKeys,
      allowPrototypes: false,
      throwOnLimitExceeded: true,
    }) as RawParameters;
  } catch {
    throw invalidParams('parameters are nested too deeply');
  }
}

function readBytes(request: Request, response: Response, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    express.raw({ type: () => true, limit })(request, response, (error?: unknown) => {
      if (error === undefined) return resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      const type = (error as { type?: string }).type;
      if (type === 'entity.too.large') return reject(new AppError('too_large'));
      if (type === 'encoding.unsupported')
        return reject(new AppError('unsupported_media_type', { error: 'content encoding is not supported' }));
      return reject(invalidParams('body could not be read'));
    }),
  );
}

function readJson(body: Buffer, asWritten: BodyRules['asWritten']): RawParameters {
  // Counted before the parser sees it: five megabytes of brackets take it half a second.
  if (isTooDeep(body, maxDepth)) throw invalidParams('the body is nested too deeply');
  const text = textOf(body);
  let parsed: unknown;
  try {
    parsed = parseWritten(text);
  } catch {
    // The wording is ours: GitLab's multi-line text is not to be relied on (G-14-2).
    throw invalidParams('the body is not valid JSON');
  }
  if (!isHash(parsed)) throw invalidParams('the body is not a JSON object');
  const names = [...asWritten].filter((name) => Object.hasOwn(parsed, name) && isHash(parsed[name]));
  const kept = names.length === 0 ? {} : Object.fromEntries(writtenMembers(body, new Set(names)));
  const parameters = { ...parsed, ...kept };
  refuseForbiddenKeys(parameters);
  return parameters;
}

const isHash = (value: unknown): value is RawParameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);

function refuseForbiddenKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (forbiddenKeys.has(key)) throw invalidParams('parameter name is invalid');
    refuseForbiddenKeys((value as Record<string, unknown>)[key]);
  }
}

/** Text fields of a multipart body; files are taken by routes that stream. */
function readMultipart(request: Request, limit: number): Promise<RawParameters> {
  return new Promise((resolve, reject) => {
    const pairs: Pair[] = [];
    // Fields come decoded, with U+FFFD for what was no text; whether that stood there itself, only the bytes tell.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let isText = true;
    let hasReplacement = false;
    let form: ReturnType<typeof busboy>;
    try {
      form = busboy({
        headers: request.headers,
        defParamCharset: 'utf8',
        limits: { fields: maxKeys, fieldSize: limit, fileSize: limit },
      });
    } catch {
      return reject(invalidParams('the multipart body is not valid'));
    }
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (isText) isText = goesOn(decoder, chunk);
      if (size > limit) {
        request.unpipe(form);
        // Without its rest being read, the next request on this connection would never be seen.
        request.resume();
        reject(new AppError('too_large'));
      }
    });
    form.on('field', (name, value) => {
      pairs.push([name ?? '', value]);
      hasReplacement ||= `${name}${value}`.includes('\ufffd');
    });
    // A file that breaks off fails its own stream as well: unheard, that would end the process.
    form.on('file', (_name, stream) => stream.on('error', () => {}).resume());
    form.on('fieldsLimit', () => reject(invalidParams('too many parameters')));
    form.on('error', () => reject(invalidParams('the multipart body is not valid')));
    form.on('close', () => {
      if (hasReplacement && !isText) return reject(notText());
      try {
        resolve(readPairs(pairs));
      } catch (error) {
        reject(error as Error);
      }
    });
    request.pipe(form);
  });
}

/** Whether a text goes on with these bytes. */
function goesOn(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): boolean {
  try {
    decoder.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
