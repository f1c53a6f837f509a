import { z } from '@switchyard/config';
import type { ProjectUpload } from '@switchyard/protos/rpc/v1/project_upload';
import { recordFields } from '@switchyard/service';
import { badArchive, parsed } from '../domain/archive-order';

const form = z.object({
  secret: z.string().regex(/^[0-9a-f]{32}$/),
  file_name: recordFields.text(255).refine((name) => name !== '' && !name.includes('/')),
  size: z.int().min(0),
  uploader: recordFields.user,
  created_at: recordFields.time,
});

/** The record of a file that texts link to. @throws AppError unprocessable for what is none */
export function readUpload(content: Uint8Array): ProjectUpload {
  const { success, data } = form.safeParse(parsed(content));
  if (!success) throw badArchive('the record of a file is wrong');
  const { file_name: fileName, uploader, created_at: createdAt, ...upload } = data;
  return { ...upload, fileName, uploader: uploader ?? '', createdAt };
}
