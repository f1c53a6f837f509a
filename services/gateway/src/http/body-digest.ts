import { createHash } from 'node:crypto';

/** Digest of a body as it comes. */
export interface BodyDigest {
  update(chunk: Buffer): void;
  /** Bytes so far, of which a boundary counts as one, whatever its length. The last few may not be counted yet. */
  readonly size: number;
  /** SHA-256; ends the digest. */
  digest(): Buffer;
}

/** The parameter of a media type that differs between two sends of one form. */
const boundaryForm = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i;

/** A media type without its boundary. */
export const withoutBoundary = (contentType: string): string => contentType.replace(boundaryForm, '');

/** Parts of a form that are told apart: a body may be nothing but boundaries, each of which costs as much as a kilobyte. */
const mostParts = 1_000;

/** True for forms, whose length depends on their boundary. */
export const isMultipart = (contentType: string): boolean => /^\s*multipart\//i.test(contentType);

/**
 * Digests a body. Of a form all bytes but those of the boundary count: parts in their order, their heads, and their contents.
 * Clients choose a new boundary each time, which counts from part `mostParts` on. The length of a part follows its bytes, so two
 * forms of other parts never agree.
 */
export function bodyDigest(contentType = ''): BodyDigest {
  const [, quoted, plain] = boundaryForm.exec(isMultipart(contentType) ? contentType : '') ?? [];
  const boundary = quoted || plain;
  const delimiter = boundary === undefined ? undefined : Buffer.from(`\r\n--${boundary}`, 'latin1');
  const hash = createHash('sha256');
  // The first delimiter may stand at the very beginning.
  let kept: Buffer = Buffer.from(delimiter === undefined ? '' : '\r\n');
  let part = 0;
  let parts = 0;
  let size = 0;

  function add(bytes: Buffer): void {
    hash.update(bytes);
    part += bytes.length;
    size += bytes.length;
  }
  function endPart(): void {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(part));
    hash.update(length);
    part = 0;
    parts += 1;
    size += 1;
  }

  return {
    update(chunk) {
      if (delimiter === undefined || parts >= mostParts) return add(chunk);
      let rest = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      for (let at = rest.indexOf(delimiter); at >= 0 && parts < mostParts; at = rest.indexOf(delimiter)) {
        add(rest.subarray(0, at));
        endPart();
        rest = rest.subarray(at + delimiter.length);
      }
      if (parts >= mostParts) {
        kept = Buffer.alloc(0);
        return add(rest);
      }
      const sure = Math.max(0, rest.length - delimiter.length + 1);
      add(rest.subarray(0, sure));
      // A copy: what it is cut from may be large.
      kept = Buffer.from(rest.subarray(sure));
    },
    get size() {
      return size;
    },
    digest() {
      add(kept);
      endPart();
      return hash.digest();
    },
  };
}
