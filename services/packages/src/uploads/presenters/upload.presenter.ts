import { isPicture, type ListedUpload, type Upload, type UploadPlace } from '../domain/upload';

/** The path of an upload as texts of its project have it. */
export const linkOf = ({ secret, fileName }: UploadPlace): string =>
  `/uploads/${secret}/${encodeURIComponent(fileName)}`;

/** What stands for an upload in a text: a picture is shown, any other file is a link. */
export function markdownOf(upload: Upload): { readonly alt: string; readonly markdown: string } {
  const { fileName } = upload;
  const alt = isPicture(upload) ? fileName.replace(/(?<=.)\.[^.]*$/, '') : fileName;
  return { alt, markdown: `${isPicture(upload) ? '!' : ''}[${alt}](${linkOf(upload)})` };
}

/** The reply to an upload. */
export const presentNewUpload = (upload: Upload) => ({
  id: upload.id,
  alt: markdownOf(upload).alt,
  url: linkOf(upload),
  full_path: `/-/project/${upload.projectId}${linkOf(upload)}`,
  markdown: markdownOf(upload).markdown,
});

/** An upload in the list of its project. */
export const presentUpload = ({ id, size, fileName, createdAt, uploader }: ListedUpload) => ({
  id,
  size,
  filename: fileName,
  created_at: createdAt,
  uploaded_by: uploader === undefined ? null : { id: uploader.id, name: uploader.name, username: uploader.username },
});
