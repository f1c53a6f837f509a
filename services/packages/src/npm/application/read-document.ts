import { isAppError } from '@switchyard/errors';
import { isStorable } from '@switchyard/texts';
import Assembler from 'stream-json/assembler.js';
import { parser } from 'stream-json/parser.js';
import { npmError } from '../domain/npm-error';
import type { JsonObject } from '../domain/publication';

/** What a document may hold beside its attachment: bytes, objects within each other, and values of all of them. */
const bounds = { bytes: 16 << 20, depth: 32, values: 500_000 } as const;

/** The tarball in a document, while it comes. */
export interface Attachment {
  readonly fileName: string;
  /** The decoded content; it has to be read before the rest of the document can be. */
  readonly content: AsyncIterable<Buffer>;
}

/** A document of npm that is read as it comes, so that memory does not depend on its attachment. */
export interface NpmDocument {
  /** Reads up to the attachment; undefined, and read to the end, when there is none. */
  attachment(): Promise<Attachment | undefined>;
  /** Reads to the end; the attachment is left out. */
  rest(): Promise<JsonObject>;
  /** Leaves the rest of the body unread. */
  close(): Promise<void>;
}

interface Token {
  readonly name: string;
  readonly value?: unknown;
}

type Piece = { begins: string } | { data: string } | 'ends' | { document: JsonObject };

const malformed = () => npmError('bad_request', 'the body is not a JSON object');

/** Whether a text is one that no database takes, or that would reach the prototype of an object. */
const isRefused = (text: string): boolean => text === '__proto__' || !isStorable(text);

/** Builds the document from its tokens, and passes the attachment by. */
function documentBuilder() {
  const document = new Assembler();
  let values = 0;
  let text: string | undefined;
  let isAttached = false;

  const pathOf = (): readonly (string | number | null)[] => [...document.path, document.key];
  const isAttachment = (path: readonly unknown[]): boolean =>
    path.length === 3 && path[0] === '_attachments' && path[2] === 'data';

  function take(name: string, value: unknown): Piece | undefined {
    if (name === 'stringChunk') {
      if (isAttached) return { data: value as string };
      text += value as string;
      return undefined;
    }
    if (name === 'startString') {
      const path = pathOf();
      text = '';
      isAttached = isAttachment(path);
      return isAttached ? { begins: String(path[1]) } : undefined;
    }
    const isText = name === 'endString' || name === 'keyValue';
    const given = name === 'endString' ? text : value;
    if (isText && isRefused(String(given))) throw npmError('bad_request', 'a text of the body is invalid');
    values += 1;
    document.tapChain(isText && name === 'endString' ? { name: 'stringValue', value: given } : { name, value });
    if (values > bounds.values || document.depth > bounds.depth)
      throw npmError('bad_request', 'the body is too complex');
    if (name !== 'endString' || !isAttached) return undefined;
    isAttached = false;
    return 'ends';
  }

  function finish(): JsonObject {
    const { current, done } = document;
    if (!done || typeof current !== 'object' || current === null || Array.isArray(current)) throw malformed();
    return current as JsonObject;
  }

  return { take, finish };
}

async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  const parse = parser({ packStrings: false, streamKeys: false, streamNumbers: false });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const builder = documentBuilder();
  let kept = 0;
  async function* tokens(text: string): AsyncGenerator<Piece> {
    for await (const { name, value } of parse(text) as unknown as AsyncIterable<Token>) {
      const piece = builder.take(name, value);
      if (piece === undefined) continue;
      if (typeof piece === 'object' && 'data' in piece) kept -= piece.data.length;
      yield piece;
    }
  }
  try {
    for await (const bytes of body) {
      kept += bytes.length;
      yield* tokens(decoder.decode(bytes, { stream: true }));
      if (kept > bounds.bytes) throw npmError('too_large', 'the metadata of the package is too large');
    }
    yield* tokens(decoder.decode());
  } catch (error) {
    // The parser and the decoder say what they expected, in words that may change. A sender that left keeps its error.
    const isTheirs = error instanceof TypeError || (error instanceof Error && /^Parser /.test(error.message));
    throw isTheirs && !isAppError(error) ? malformed() : error;
  }
  yield { document: builder.finish() };
}

/** Bytes of base64 that are decoded at once. */
const decodedAtOnce = 64 << 10;

async function* contentOf(pieces: AsyncGenerator<Piece>): AsyncGenerator<Buffer> {
  let encoded = '';
  for (;;) {
    const { value: piece, done } = await pieces.next();
    if (done || piece === 'ends') break;
    if (!('data' in piece)) continue;
    encoded += piece.data;
    if (encoded.length < decodedAtOnce) continue;
    const whole = encoded.length - (encoded.length % 4);
    yield Buffer.from(encoded.slice(0, whole), 'base64');
    encoded = encoded.slice(whole);
  }
  if (encoded !== '') yield Buffer.from(encoded, 'base64');
}

/**
 * Reads a document of npm: the metadata of a package, and in `_attachments` a tarball in base64. Reading fails with
 * `bad_request` for what is no such document or has more than one attachment, and with `too_large`.
 */
export function readDocument(body: AsyncIterable<Uint8Array>): NpmDocument {
  const pieces = piecesOf(body);
  let document: JsonObject | undefined;

  async function nextAttachment(): Promise<string | undefined> {
    for (;;) {
      const { value: piece, done } = await pieces.next();
      if (done) return undefined;
      if (piece === 'ends' || 'data' in piece) continue;
      if ('begins' in piece) return piece.begins;
      document = piece.document;
    }
  }

  return {
    async attachment() {
      const fileName = await nextAttachment();
      return fileName === undefined ? undefined : { fileName, content: contentOf(pieces) };
    },
    async rest() {
      if ((await nextAttachment()) !== undefined) throw npmError('bad_request', 'more than one attachment');
      if (document === undefined) throw malformed();
      return document;
    },
    async close() {
      await pieces.return(undefined);
    },
  };
}
