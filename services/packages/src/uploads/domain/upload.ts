import type { UserRow } from '@switchyard/directory';

/** Where a file that texts link to lies in its project. */
export interface UploadPlace {
  readonly projectId: number;
  /** 32 hexadecimal digits that nobody guesses: who knows them has seen a text with the link. */
  readonly secret: string;
  readonly fileName: string;
}

/** A file that texts of a project link to. */
export interface Upload extends UploadPlace {
  readonly id: number;
  /** Bytes. */
  readonly size: number;
  /** Media type of a picture, known by its first bytes; `application/octet-stream` for everything else. */
  readonly contentType: string;
  readonly createdAt: Date;
}

/** An upload in the list of its project. */
export interface ListedUpload extends Upload {
  /** Undefined for one without a user. */
  readonly uploader: UserRow | undefined;
}

/** An upload with where its content is. */
export interface StoredUpload extends Upload {
  readonly blob: string;
  readonly sha256: string;
}

/** An upload as an archive has it. */
export interface ArchivedUpload extends StoredUpload {
  /** Undefined for nobody. */
  readonly uploader: string | undefined;
}

/** What is uploaded. */
export type NewUpload = Pick<Upload, 'projectId' | 'secret' | 'fileName' | 'contentType'> & {
  /** Undefined for now. */
  readonly createdAt?: Date | undefined;
  /** Undefined for none. */
  readonly uploaderId: number | undefined;
  /** SHA-256 of what it was called at the forge that it comes from, in hexadecimal digits. */
  readonly source: string | undefined;
};

/** Characters of a file's name. */
const maxNameLength = 255;

/**
 * The name of an upload as links have it: the last part of the written name, with `_` for all but letters, digits and
 * `. - + _`, and of a longer one the last 255 characters, which say the type. `file` where nothing is left.
 */
export function uploadName(written: string): string {
  const last = written.slice(Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\')) + 1);
  // Cut before it is read: it may have megabytes.
  const name = [
    ...last
      .slice(-4 * maxNameLength)
      .toWellFormed()
      .normalize('NFC'),
  ]
    .slice(-maxNameLength)
    .join('')
    .replace(/[^\p{L}\p{M}\p{N}.+_-]/gu, '_');
  return /^[._]*$/.test(name) ? 'file' : name;
}

/** Whether a text can be the secret of an upload. */
export const isSecret = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** Whether it is a picture that browsers may show in place; never one that may hold scripts. */
export const isPicture = ({ contentType }: Pick<Upload, 'contentType'>): boolean => contentType.startsWith('image/');

/** Media type of what is no picture. */
export const anyFile = 'application/octet-stream';
