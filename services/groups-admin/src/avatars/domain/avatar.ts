import { imageExtensions, imageFilename, imageTypeOfExtension, readImage } from '@switchyard/images';

/** Whose avatar it is; a user's own namespace shows that of the user. */
export interface AvatarOwner {
  readonly kind: 'user' | 'group' | 'project' | 'topic';
  readonly id: number;
}

/** A file as it was sent. */
export interface AvatarFile {
  readonly filename: string;
  readonly content: Buffer;
}

/** A change of an avatar: a new file, or undefined to remove what is there. */
export interface AvatarChange {
  readonly file: AvatarFile | undefined;
}

/** What is stored of an avatar. */
export interface StoredAvatar {
  /** Key of its content in the blob store. */
  readonly blob: string;
  readonly filename: string;
  /** Media type by its content. */
  readonly contentType: string;
  /** Bytes of its content. */
  readonly size: number;
}

/** Bytes of the largest avatar (G-4.16-6). */
const maxBytes = 200 << 10;

/** Pixels of a side. A browser that decodes the largest one holds 100 MB; a few kilobytes can hold many more pixels. */
const maxSide = 5_000;

/** An avatar that can be stored, or what is wrong with it. */
export function readAvatar({
  filename,
  content,
}: AvatarFile): { readonly avatar: Omit<StoredAvatar, 'blob'> } | { readonly problems: readonly string[] } {
  if (content.length > maxBytes) return { problems: ['is too big (should be at most 200 KiB)'] };
  const name = imageFilename(filename);
  const image = readImage(content);
  if (name === undefined || image === undefined) {
    const formats = imageExtensions.join(', ');
    return {
      problems: [`file format is not supported. Please try one of the following supported formats: ${formats}`],
    };
  }
  if (imageTypeOfExtension(name.slice(name.lastIndexOf('.') + 1)) !== image.type)
    return { problems: ['is not of the format that its name says'] };
  if (image.width > maxSide || image.height > maxSide)
    return { problems: [`has too many pixels (should be at most ${maxSide} x ${maxSide})`] };
  return { avatar: { filename: name, contentType: image.type, size: content.length } };
}

/** What is wrong with a change of an avatar, to be reported on `avatar` with the problems of the other fields. */
export function avatarProblems(change: AvatarChange | undefined): readonly string[] {
  if (change?.file === undefined) return [];
  const read = readAvatar(change.file);
  return 'problems' in read ? read.problems : [];
}

const folders: Readonly<Record<AvatarOwner['kind'], string>> = {
  user: 'user',
  group: 'group',
  project: 'project',
  topic: 'projects/topic',
};

/** Path of an avatar below the external address, as an owner's `avatar_url` holds it. */
export const avatarPath = ({ kind, id }: AvatarOwner, filename: string): string =>
  `/uploads/-/system/${folders[kind]}/avatar/${id}/${encodeURIComponent(filename)}`;
