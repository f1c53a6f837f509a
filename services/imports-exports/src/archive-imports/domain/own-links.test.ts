import { originOf, withOwnLinks } from './own-links';

const secret = '0123456789abcdef0123456789abcdef';
const origin = { projectId: 17, fullPath: 'acme/app.x', url: 'https://old.example' };
const linked = (text: string): string => withOwnLinks(Buffer.from(text), origin).toString();

it.each([
  [`![a](/uploads/${secret}/a.png)`, `![a](/uploads/${secret}/a.png)`],
  [`![a](/-/project/17/uploads/${secret}/a.png)`, `![a](/uploads/${secret}/a.png)`],
  [`see https://old.example/-/project/17/uploads/${secret}/a.png`, `see /uploads/${secret}/a.png`],
  [`see https://old.example/acme/app.x/uploads/${secret}/a.png`, `see /uploads/${secret}/a.png`],
  [`"/acme/app.x/uploads/${secret}/a.png"`, `"/uploads/${secret}/a.png"`],
])('%s leads to the own file', (text, expected) => expect(linked(text)).toBe(expected));

it.each([
  `https://other.example/-/project/17/uploads/${secret}/a.png`,
  `https://old.example/-/project/177/uploads/${secret}/a.png`,
  `https://old.example/acme/appzx/uploads/${secret}/a.png`,
  `/-/project/18/uploads/${secret}/a.png`,
  `/more/acme/app.x/uploads/${secret}/a.png`,
  '/-/project/17/uploads/short/a.png',
])('%s stays', (text) => expect(linked(text)).toBe(text));

it('takes time by the length of a page, whatever the archive says of its place', () => {
  const long = 'a'.repeat(5_000);
  const page = Buffer.from(`${'a'.repeat(2_000_000)}/uploads/${secret}/`);
  const began = process.cpuUsage();
  expect(withOwnLinks(page, { projectId: 17, fullPath: long, url: long }).equals(page)).toBe(true);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
});

it('refuses origins that are none', () => {
  for (const given of [{ project_id: 1.5 }, { full_path: 'a'.repeat(6_000) }, { url: 'a'.repeat(6_000) }]) {
    const named = { project_id: 17, full_path: 'a/b', url: 'https://old.example', ...given };
    expect(() => originOf(Buffer.from(JSON.stringify(named)))).toThrow(/where the project was/);
  }
});

it('knows the origin of archives that name one', () => {
  const named = { project_id: 17, full_path: 'acme/app.x', url: 'https://old.example' };
  expect(originOf(Buffer.from(JSON.stringify(named)))).toEqual(origin);
  for (const given of ['{"format":2,"full_path":"a/b"}', '[]', 'x', '{"project_id":"1","full_path":"a","url":"b"}'])
    expect(originOf(Buffer.from(given))).toBeUndefined();
});
