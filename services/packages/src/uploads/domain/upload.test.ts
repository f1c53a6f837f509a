import { uploadName } from './upload';

it.each([
  ['load.png', 'load.png'],
  ['C:\\Users\\ada\\my report (1).pdf', 'my_report__1_.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['größe+2.tar.gz', 'größe+2.tar.gz'],
  ['a](javascript:x)".html', 'a__javascript_x__.html'],
  ['..', 'file'],
  ['', 'file'],
  ['/', 'file'],
  [`${'é'.repeat(400)}.png`, `${'é'.repeat(251)}.png`],
])('the link to %j ends in %j', (written, name) => expect(uploadName(written)).toBe(name));
