import { linksIn, relinked } from './linked-files';

const a = 'https://forge.example/user-attachments/assets/1';
const b = 'attachment:12/5f2c%2Fb.pdf';
const files = new Map([
  [a, { link: '/uploads/s1/1.png', markdown: '![1](/uploads/s1/1.png)' }],
  [b, { link: '/uploads/s2/b.pdf', markdown: '[b.pdf](/uploads/s2/b.pdf)' }],
]);

it.each([
  [`![shot](${a})`, '![shot](/uploads/s1/1.png)'],
  [`![shot](<${a}> "Title")`, '![shot](</uploads/s1/1.png> "Title")'],
  [`See [the log](${b}), and ${b}.`, 'See [the log](/uploads/s2/b.pdf), and [b.pdf](/uploads/s2/b.pdf).'],
  [`<img width="40" src="${a}">`, '<img width="40" src="/uploads/s1/1.png">'],
  [`<video src=${a}></video>`, '<video src=/uploads/s1/1.png></video>'],
  [`${a}\n\n${a}`, '![1](/uploads/s1/1.png)\n\n![1](/uploads/s1/1.png)'],
  [`It is <${a}>!`, 'It is ![1](/uploads/s1/1.png)!'],
  [`[shot]: ${a}\n`, '[shot]: /uploads/s1/1.png\n'],
  [`[${a}](${a})`, '[/uploads/s1/1.png](/uploads/s1/1.png)'],
  [`Shot\n====\n${a}`, 'Shot\n====\n![1](/uploads/s1/1.png)'],
  [`**${a}**`, '**![1](/uploads/s1/1.png)**'],
  [`![other](${a}0) https://forge.example/x`, `![other](${a}0) https://forge.example/x`],
  ['nothing', 'nothing'],
])('%j becomes %j', (text, expected) => expect(relinked(text, files)).toBe(expected));

it('reads a megabyte of what looks like links in no time', () => {
  const text = 'https://'.repeat(125_000);
  const startedAt = performance.now();
  expect(linksIn([text, '](https://a.b '.repeat(70_000)])).toEqual(new Set(['https://a.b']));
  expect(relinked('[https://a.b '.repeat(70_000), files)).toHaveLength(910_000);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
