import { isUtf8 } from 'node:buffer';
import { AppError, invalidParams, retrySeconds, unavailable } from '@switchyard/errors';
import { type JsonBounds, jsonMeasure } from '@switchyard/json';
import busboy from 'busboy';
import type { Request, Response } from 'express';
import qs from 'qs';
import type { BodyReservation } from './body-memory';
import { contentEncodings, decoderOf } from './content-encoding';
import { parseWritten, WrittenNumber, writtenMembers } from './json-bytes';
import { SentFile, smallFileLimit } from './params';
import { type MinimumRate, receiveBody } from './receive-body';

/** Parameters of a request before they have types. */
export type RawParameters = Record<string, unknown>;

/** Size of a body unless the route says otherwise, and of every one without a token, bytes (D3). */
export const defaultBodyLimit = 5 << 20;

/**
 * What a JSON body may hold (D3). 420,000 names took the parser and what follows it two seconds; these bounds keep a
 * body below 100 ms.
 */
const jsonBounds: JsonBounds = { depth: 32, keys: 20_000, values: 100_000 };

/** Keys of a query string or form; more are refused (D3). */
const maxKeys = 1_000;

/** Names that would reach an object's prototype. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** How a body is read. */
export interface BodyRules {
  /** Most bytes. */
  readonly limit: number;
  readonly minimumRate: MinimumRate;
  /** Memory that its bytes are held in. */
  readonly hold: BodyReservation;
  /** Parameters that stay text where a JSON body has an object: its names and numbers belong to another system. */
  readonly asWritten: ReadonlySet<string>;
  /** Parameters that take a file of a multipart body; other files are dropped. */
  readonly files: ReadonlySet<string>;
}

const typeOf = (request: Request): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

/** Types of the bodies that parameters are read from. */
const isReadable = (type: string): boolean =>
  isJson(type) || type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data';

/** True when parameters may stand in the body. A GET with a body of a type that has none is served without it. */
export const hasParameters = (request: Request): boolean =>
  (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0) &&
  (isReadable(typeOf(request)) || (request.method !== 'GET' && request.method !== 'HEAD'));

/**
 * Reads the parameters of a body (G-1-2), and no more of it than it may have. Refusals: those of `receiveBody`;
 * `unsupported_media_type`; `invalid_params` for one that is malformed or holds too much.
 */
export async function readBody(request: Request, response: Response, rules: BodyRules): Promise<RawParameters> {
  const type = typeOf(request);
  const unsupported = () =>
    new AppError('unsupported_media_type', { error: `The provided content-type '${type}' is not supported.` });
  // A body without a length may be none at all: clients send such with any type.
  if (!isReadable(type) && request.headers['content-length'] !== undefined) throw unsupported();
  const encoding = request.headers['content-encoding'];
  const decode = decoderOf(encoding, rules.limit);
  if (decode === undefined) {
    response.setHeader('Accept-Encoding', contentEncodings);
    throw new AppError('unsupported_media_type', { error: 'content encoding is not supported' });
  }
  const inspect = isReadable(type) ? inspectorOf(type) : unsupported;
  const received = await receiveBody(request, response, encoding === undefined ? { ...rules, inspect } : rules);
  if (received.length === 0) return {};
  const body = await decode(received, rules.hold);
  if (body === 'too long') throw new AppError('too_large');
  if (body === 'malformed') throw invalidParams('body could not be read');
  if (body === 'no memory') throw unavailable(undefined, retrySeconds());
  const problem = encoding === undefined ? undefined : inspect(body);
  if (problem !== undefined) throw problem;
  if (isJson(type)) return readJson(body, rules.asWritten);
  return type === 'multipart/form-data' ? readForm(request, body, rules) : readPairs(pairsOf(textOf(body)));
}

/** Inspects the bytes of a body as they come, so that no more of it is read than can be parsed. */
function inspectorOf(type: string): (bytes: Buffer) => AppError | undefined {
  if (isJson(type)) {
    const measure = jsonMeasure(jsonBounds);
    return (bytes) => {
      const passed = measure(bytes);
      return passed && invalidParams(passed === 'depth' ? 'the body is nested too deeply' : 'too many parameters');
    };
  }
  // Parts of a multipart body are counted by their parser.
  if (type === 'multipart/form-data') return () => undefined;
  let keys = 1;
  return (bytes) => {
    for (let at = bytes.indexOf(ampersand); at !== -1; at = bytes.indexOf(ampersand, at + 1)) keys += 1;
    return keys > maxKeys ? tooMany() : undefined;
  };
}

const ampersand = 0x26;
const tooMany = () => invalidParams('too many parameters');

/** Reads the query string alone; the body stays unread. */
export function readQuery(request: Request): RawParameters {
  const at = request.url.indexOf('?');
  // Node refuses request lines that are not ASCII.
  return at === -1 ? {} : readPairs(pairsOf(request.url.slice(at + 1)));
}

const notText = () => invalidParams('parameters are not valid UTF-8');

/** Bytes as text. Bytes that are no text are refused: replaced in silence, they would come back as another text. */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notText();
  return bytes.toString('utf8');
}

/** A name or value as it was before it was written into a query string or form. */
function decode(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '));
  } catch {
    // A per cent sign that begins no escape is refused too: taken literally, the escapes around it would stay as they
    // are.
    throw notText();
  }
}

type Pair = readonly [name: string, value: string];

function pairsOf(written: string): Pair[] {
  // Counted before anything is made of them.
  let keys = 1;
  for (let at = written.indexOf('&'); at !== -1; at = written.indexOf('&', at + 1)) keys += 1;
  if (keys > maxKeys) throw tooMany();
  return written
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    });
}

/**
 * Numbers the hashes of an array, as Rack does: `a[][b]` begins the next one where the one before has it already. Other
 * names stay.
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

/**
 * Nests what was written in brackets. Of what is sent twice under one name the last counts, unless the name is that of
 * an array (`a[]`).
 */
function readPairs(pairs: readonly Pair[]): RawParameters {
  const values: Record<string, string | string[]> = {};
  const numbered = numberHashes();
  for (const [given, value] of pairs) {
    if (given.split(/[[\]]+/).some((part) => forbiddenKeys.has(part))) throw invalidParams('parameter name is invalid');
    const name = numbered(given);
    const before = Object.hasOwn(values, name) ? values[name] : undefined;
    if (name.endsWith('[]') && Array.isArray(before)) before.push(value);
    else values[name] = name.endsWith('[]') ? [value] : value;
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

function readJson(body: Buffer, asWritten: BodyRules['asWritten']): RawParameters {
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

/** Parts of a multipart body that are files; those that no parameter takes are dropped. */
const maxFiles = 100;

/** What a multipart body holds: its text fields, and the pieces of each file that a parameter takes. */
interface Form {
  readonly pairs: Pair[];
  readonly files: Map<string, { readonly filename: string; readonly pieces: Buffer[] }>;
}

/** Parameters of a multipart body. A file counts once: which of two was meant cannot be known. */
async function readForm(request: Request, body: Buffer, { files: taken, hold }: BodyRules): Promise<RawParameters> {
  const { pairs, files } = await readMultipart(request, body, taken);
  const parameters = readPairs(pairs);
  for (const [name, { filename, pieces }] of files) {
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const isSentTwice = pairs.some(([field]) => field === name);
    // Without a name and a byte: a browser's form in which no file was chosen.
    if (filename === '' && size === 0 && !isSentTwice) continue;
    if (filename === '' || isSentTwice) throw invalidParams(`${name} is invalid`);
    if (!(await hold.take(size))) throw unavailable(undefined, retrySeconds());
    parameters[name] = new SentFile(filename, Buffer.concat(pieces, size));
  }
  return parameters;
}

/** Text fields of a multipart body, and the files that are taken. */
function readMultipart(request: Request, body: Buffer, taken: ReadonlySet<string>): Promise<Form> {
  return new Promise((resolve, reject) => {
    const pairs: Pair[] = [];
    const files: Form['files'] = new Map();
    // Fields come decoded, with U+FFFD for what was no text; only the bytes show whether it was sent.
    let hasReplacement = false;
    let form: ReturnType<typeof busboy>;
    const limits = {
      fields: maxKeys,
      files: maxFiles,
      // Said once that many have ended. Parts without a readable header are neither fields nor files, and cost 50 µs
      // each.
      parts: maxKeys + maxFiles + 1,
      fieldSize: body.length,
      fileSize: body.length,
      headerPairs: 20,
    };
    try {
      form = busboy({ headers: request.headers, defParamCharset: 'utf8', limits });
    } catch {
      return reject(invalidParams('the multipart body is not valid'));
    }
    form.on('field', (name, value) => {
      pairs.push([name ?? '', value]);
      hasReplacement ||= `${name}${value}`.includes('\ufffd');
    });
    form.on('file', (name, stream, { filename = '' }) => {
      // A file that breaks off fails its own stream as well: unheard, that would end the process.
      stream.on('error', () => {});
      if (!taken.has(name)) return void stream.resume();
      if (files.has(name)) return refuse(invalidParams(`${name} is invalid`));
      const file = { filename, pieces: [] as Buffer[] };
      files.set(name, file);
      let left = smallFileLimit + 1;
      stream.on('data', (piece: Buffer) => {
        if (left > 0) file.pieces.push(piece.subarray(0, left));
        left -= piece.length;
      });
    });
    const refuse = (error: AppError) => {
      reject(error);
      form.destroy();
    };
    form.on('fieldsLimit', () => refuse(tooMany()));
    form.on('filesLimit', () => refuse(tooMany()));
    form.on('partsLimit', () => refuse(tooMany()));
    form.on('error', () => reject(invalidParams('the multipart body is not valid')));
    form.on('close', () => (hasReplacement && !isUtf8(body) ? reject(notText()) : resolve({ pairs, files })));
    form.end(body);
  });
}
