import { foreignName, missedBy } from './foreign-file';

const picture = { contentType: 'image/png' };
const other = { contentType: 'application/octet-stream' };
const assets = 'https://forge.example/user-attachments/assets/5f0c';

it.each([
  [assets, {}, picture, '5f0c.png'],
  [assets, { 'content-type': 'video/mp4; x=y' }, other, '5f0c.mp4'],
  [assets, { 'content-type': 'image/png' }, other, '5f0c.png'],
  [assets, { 'content-type': 'application/x-odd' }, other, '5f0c'],
  [assets, { 'content-disposition': 'attachment; filename="my log.txt"' }, other, 'my_log.txt'],
  [
    assets,
    { 'content-disposition': "attachment; filename=a; filename*=UTF-8''gr%C3%B6%C3%9Fe.pdf" },
    other,
    'größe.pdf',
  ],
  [assets, { 'content-disposition': 'attachment; filename="../../x.tar.gz"' }, other, 'x.tar.gz'],
  ['https://forge.example/files/7/my%20notes.zip?token=x', {}, other, 'my_notes.zip'],
  ['https://forge.example/files/%E0%A4%A', {}, other, '_E0_A4_A'],
])('the file at %s with %j', (url, headers, found, name) => expect(foreignName(url, headers, found)).toBe(name));

const pass = (retryAfter = 0) => ({ mayPass: true, retryAfter });
const stay = { mayPass: false, retryAfter: 0 };

it.each([
  [200, {}, undefined],
  [200, { 'content-type': 'text/html; charset=utf-8' }, stay],
  [200, { 'content-encoding': 'gzip' }, stay],
  [200, { 'content-length': '101' }, stay],
  [200, { 'content-length': '100', 'content-encoding': 'identity' }, undefined],
  [206, {}, stay],
  [404, {}, stay],
  [403, {}, stay],
  [403, { 'retry-after': '60' }, pass(60)],
  [429, { 'retry-after': '1000000' }, pass(3_600)],
  [429, { 'retry-after': 'soon' }, pass()],
  [502, {}, pass()],
])('an answer %i with %j', (status, headers, expected) => {
  const found = missedBy({ status, headers, url: assets }, 100);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toEqual({ reason: expect.any(String), ...expected });
});
