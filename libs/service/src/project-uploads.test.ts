import type { ProjectUploadPart } from '@switchyard/protos/rpc/v1/project_upload';
import { uploadParts, uploadsOf } from './project-uploads';

const uploadOf = (secret: string) => ({ secret, fileName: 'a.png', size: 6, uploader: '', createdAt: new Date(0) });
const chunks = ['one', 'two'].map((text) => Buffer.from(text));

async function* stream(): AsyncGenerator<ProjectUploadPart> {
  for (const secret of ['a', 'b', 'c'])
    yield* uploadParts(
      uploadOf(secret),
      (async function* () {
        yield* chunks;
      })(),
    );
}

it('gives each file with its bytes, however much of the one before was read', async () => {
  const read: string[] = [];
  for await (const { upload, content } of uploadsOf(stream())) {
    if (upload.secret === 'a') continue;
    let text = '';
    for await (const chunk of content) {
      text += Buffer.from(chunk).toString();
      if (upload.secret === 'b') break;
    }
    read.push(`${upload.secret} ${text}`);
  }
  expect(read).toEqual(['b one', 'c onetwo']);
});

it('cuts what is long into messages', async () => {
  const sizes: number[] = [];
  const content = (async function* () {
    yield Buffer.alloc(600 << 10);
  })();
  for await (const { data } of uploadParts(uploadOf('a'), content)) sizes.push(data.length);
  expect(sizes).toEqual([0, 256 << 10, 256 << 10, 88 << 10]);
});
