import type { ServiceDefinition } from '@grpc/grpc-js';
import { Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';

/** Tag of field 1, wire type 2: the `json` bytes of both envelopes. */
const jsonTag = 0x0a;

/**
 * Reads an envelope whose first field is `json` without copying those bytes: the generated decoder copies them, which
 * costs 0.2 of a bare request on a 50 kB list (measured).
 */
const readWithoutCopy =
  <T extends { json: Buffer }>(decode: (bytes: Buffer) => T) =>
  (bytes: Buffer): T => {
    if (bytes[0] !== jsonTag) return decode(bytes);
    let length = 0;
    let at = 1;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const rest = decode(bytes.subarray(at + length));
    rest.json = bytes.subarray(at, at + length);
    return rest;
  };

const readRepresentation = readWithoutCopy<Representation>((bytes) => Representation.decode(bytes));
const readPage = readWithoutCopy<RepresentationPage>((bytes) => RepresentationPage.decode(bytes));

const varint = (value: number): Buffer => {
  const out: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    out.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Buffer.from(out);
};

const writeWithoutCopy =
  <T extends { json: Buffer }>(encode: (value: T) => Uint8Array) =>
  (value: T): Buffer =>
    Buffer.concat([
      Buffer.from([jsonTag]),
      varint(value.json.length),
      value.json,
      encode({ ...value, json: Buffer.alloc(0) }),
    ]);

const writeRepresentation = writeWithoutCopy<Representation>((value) => Representation.encode(value).finish());
const writePage = writeWithoutCopy<RepresentationPage>((value) => RepresentationPage.encode(value).finish());

/** The same definition, with the codecs of the two envelopes replaced by ones that do not copy the JSON. */
export function withoutCopies<T extends ServiceDefinition>(definition: T): T {
  return Object.fromEntries(
    Object.entries(definition).map(([name, method]) => {
      const decoded: unknown = method.responseDeserialize(Buffer.alloc(0));
      if (!isEnvelope(decoded)) return [name, method];
      const isPage = 'page' in decoded;
      return [
        name,
        {
          ...method,
          responseSerialize: isPage ? writePage : writeRepresentation,
          responseDeserialize: isPage ? readPage : readRepresentation,
        },
      ];
    }),
  ) as T;
}

const isEnvelope = (value: unknown): value is { json: Buffer } =>
  typeof value === 'object' && value !== null && 'json' in value && 'status' in value && Object.keys(value).length <= 3;
