import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@switchyard/errors';
import { readUploadForm } from './upload-form';

it('a file that is not taken is refused for what is wrong with it, wherever in the body that shows', async () => {
  const limit = 1 << 20;
  const server = createServer((request, response) => {
    const take = async (_name: string, content: AsyncIterable<Uint8Array>) => {
      let size = 0;
      try {
        for await (const chunk of content) {
          size += chunk.length;
          if (size > limit) throw new AppError('too_large');
        }
      } finally {
        // The consumer has a file to remove first.
        await setImmediate();
      }
    };
    readUploadForm(request, { fileField: 'file', file: limit, timeoutMs: 10_000 }, take).then(
      () => response.end('taken'),
      (error: AppError) => response.end(error.kind),
    );
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: string[] = [];
  for (const beyond of [0, 1, 100, 20_000]) {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(limit + beyond)]), 'a.png');
    answers.push(await fetch(url, { method: 'POST', body }).then((answer) => answer.text()));
  }
  server.close();
  expect(answers).toEqual(['taken', 'too_large', 'too_large', 'too_large']);
});

it('gives the fields of the whole form to who takes the file, also those that come after it', async () => {
  const server = createServer((request, response) => {
    const taken: unknown[] = [];
    const wanted = new Set(['name', 'version', 'tags[]']);
    const rules = { fileField: 'content', file: 100, timeoutMs: 10_000, wanted };
    readUploadForm(request, rules, async (filename, content, fields) => {
      let text = '';
      for await (const chunk of content) text += Buffer.from(chunk).toString();
      taken.push(filename, text, [...(await fields)]);
    }).then(
      () => response.end(JSON.stringify(taken)),
      (error: AppError) => response.end(error.kind),
    );
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const body = new FormData();
  body.set('name', 'app');
  body.set('content', new Blob(['bytes']), 'app-1.whl');
  for (const version of ['0', '1']) body.append('version', version);
  for (const tag of ['a', 'b', 'c']) body.append('tags[]', tag);
  body.set('description', 'not wanted');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await fetch(url, { method: 'POST', body });
  server.close();
  expect(await answer.json()).toEqual([
    'app-1.whl',
    'bytes',
    [
      ['name', 'app'],
      ['version', '1'],
      ['tags[]', 'a,b,c'],
    ],
  ]);
});
