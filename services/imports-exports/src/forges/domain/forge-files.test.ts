import { fileOfForgea, fileOfForgebCloud, fileOfForgebServer } from './forge-files';

const uuid = '0f9c-4a';
const own = (url: string) => ({ url, authorization: 'secret' });
const other = (url: string) => ({ url, authorization: '' });
const at = (path: string) => `https://github.com/${path}`;

it.each([
  [at(`user-attachments/assets/${uuid}`), own(at(`user-attachments/assets/${uuid}`))],
  [at('user-attachments/files/1234/my.log.txt?x=1#y'), other(at('user-attachments/files/1234/my.log.txt'))],
  [at(`octo/things/assets/12/${uuid}`), own(at(`octo/things/assets/12/${uuid}`))],
  [at('octo/things/files/12/a.zip'), own(at('octo/things/files/12/a.zip'))],
  ['https://user-images.githubusercontent.com/1/2-a.png', other('https://user-images.githubusercontent.com/1/2-a.png')],
  [at('Octo/Things/files/12/a.zip'), own(at('Octo/Things/files/12/a.zip'))],
  [at('octo/secret/files/12/a.zip'), undefined],
  [at('octo/things/issues/12'), undefined],
  [at('octo/things/blob/main/assets/12/x'), undefined],
  [at('user-attachments/../settings/tokens'), undefined],
  [at('octo/%2e%2e/assets/12/x'), undefined],
  ['https://github.com.evil.example/user-attachments/assets/1', undefined],
  ['https://github.com@evil.example/user-attachments/assets/1', undefined],
  ['https://me:pw@github.com/user-attachments/assets/1', undefined],
  ['http://github.com/user-attachments/assets/1', undefined],
  ['http://user-images.githubusercontent.com/1/2-a.png', undefined],
  ['https://user-images.githubusercontent.com/', undefined],
  ['attachment:1/a', undefined],
  ['javascript:alert(1)', undefined],
])('forgea: %s', (link, file) =>
  expect(fileOfForgea(link, { web: 'https://github.com', repository: 'octo/things' }, 'secret')).toEqual(file),
);

it('forgea: an installation of its own has its own hosts', () => {
  const web = 'https://forge.example:8443';
  const place = { web, repository: 'octo/things' };
  expect(fileOfForgea(`${web}/user-attachments/assets/1`, place, 'secret')).toEqual(
    own(`${web}/user-attachments/assets/1`),
  );
  const media = 'https://media.forge.example:8443/user/1/files/2';
  expect(fileOfForgea(media, place, 'secret')).toEqual(other(media));
  expect(fileOfForgea(at('user-attachments/assets/1'), place, 'secret')).toBeUndefined();
});

it.each([
  ['https://bitbucket.org/repo/aBc1-2/images/12-shot.png', own('https://bitbucket.org/repo/aBc1-2/images/12-shot.png')],
  ['https://bitbucket.org/repo/aBc/images/../../x', undefined],
  ['https://bitbucket.org/octo/things/issues/1', undefined],
])('the cloud of forgeb: %s', (link, file) =>
  expect(fileOfForgebCloud(link, 'https://bitbucket.org', 'secret')).toEqual(file),
);

const repository = 'https://forge.example/bitbucket/projects/OCTO/repos/things';

it.each([
  ['attachment:12/5f2c%2Fshot.png', own(`${repository}/attachments/5f2c%2Fshot.png`)],
  ['attachment:12/5f2c/shot.png', own(`${repository}/attachments/5f2c/shot.png`)],
  [`${repository}/attachments/5f2c%2Fshot.png`, own(`${repository}/attachments/5f2c%2Fshot.png`)],
  ['attachment:12/..%2F..%2Fsettings', undefined],
  ['attachment:12/../settings', undefined],
  ['attachment:12/a%', undefined],
  ['attachment:12/a//b', undefined],
  [`${repository}/pull-requests/1`, undefined],
  ['https://forge.example/bitbucket/projects/OTHER/repos/things/attachments/1', undefined],
])('a server of forgeb: %s', (link, file) => expect(fileOfForgebServer(link, repository, 'secret')).toEqual(file));
