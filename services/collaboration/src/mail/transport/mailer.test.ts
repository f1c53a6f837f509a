import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutgoingMail } from '../domain/mail';
import { fileMailer, senderOf, smtpMailer } from './mailer';

/** A server that speaks just enough SMTP; `answers` says what it replies to a command instead of 250. */
async function smtpServer(
  answers: Record<string, string> = {},
): Promise<{ server: Server; url: string; mails: string[] }> {
  const mails: string[] = [];
  const server = createServer((socket) => {
    let data: string | undefined;
    let rest = '';
    socket.on('error', () => undefined);
    socket.write('220 mail.example\r\n');
    socket.on('data', (bytes) => {
      rest += bytes.toString();
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        const command = line.slice(0, 4).toUpperCase();
        if (data !== undefined) {
          if (line === '.') {
            mails.push(data);
            data = undefined;
            socket.write('250 taken\r\n');
          } else data += `${line}\n`;
        } else if (answers[command] !== undefined) socket.write(`${answers[command]}\r\n`);
        else if (command === 'DATA') {
          data = '';
          socket.write('354 go on\r\n');
        } else if (command === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 yes\r\n');
      }
    });
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  return { server, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, mails };
}

const mail: OutgoingMail = {
  id: 5,
  messageId: 'alert.raised.7.3',
  to: { name: 'Ada\r\nBcc: eve@example.com', address: 'ada@example.com' },
  subject: 'Disk full\r\nBcc: eve@example.com\r\n\r\nhello\u2028there',
  body: 'first\n.\nlast ü\n',
  headers: { 'X-Switchyard-Project-Path': 'team/web\r\nX-Evil: yes' },
};

const headersOf = (message: string): string =>
  (message.replaceAll('\r\n', '\n').split('\n\n')[0] ?? '').replace(/\n\s+/g, ' ');

describe('a mail', () => {
  const sender = senderOf('https://code.example:8443/forge', undefined);

  it('comes from the host of the installation, or from the configured address', () => {
    expect(sender).toEqual({ address: 'noreply@code.example', domain: 'code.example' });
    expect(senderOf('http://127.0.0.1:8080', undefined).address).toBe('noreply@localhost');
    expect(senderOf('http://[::1]:8080', 'yard@example.com')).toEqual({
      address: 'yard@example.com',
      domain: 'localhost',
    });
  });

  it('is sent with its headers, of which no text makes another one', async () => {
    const { server, url, mails } = await smtpServer();
    const mailer = smtpMailer(url, sender);
    await mailer.send(mail);
    mailer.close();
    server.close();
    const headers = headersOf(mails[0] ?? '').split('\n');
    expect(headers).toEqual(
      expect.arrayContaining([
        'From: Switchyard <noreply@code.example>',
        'To: "Ada Bcc: eve@example.com" <ada@example.com>',
        'Subject: Disk full Bcc: eve@example.com hello there',
        'Message-ID: <alert.raised.7.3@code.example>',
        'Auto-Submitted: auto-generated',
        'X-Switchyard-Project-Path: team/web X-Evil: yes',
      ]),
    );
    expect(headers.filter((line) => /^(Bcc|X-Evil):/i.test(line))).toEqual([]);
    expect(mails[0]).toContain('\n..\n');
  });

  it.each(['=?utf-8?Q?=0D=0ABcc=3A_a@b?= ok', `=?x ${'é😀'.repeat(60)}`, `${'a '.repeat(40)}=?iso-8859-1?B?Wg==?=`])(
    'says its subject to the letter: %s',
    async (subject) => {
      const folder = mkdtempSync(join(tmpdir(), 'switchyard-mails-'));
      await fileMailer(folder, sender).send({ ...mail, subject });
      const written = readFileSync(join(folder, '5.eml'), 'utf8');
      rmSync(folder, { recursive: true });
      const [, header = ''] = /^Subject: (.*)$/m.exec(headersOf(written)) ?? [];
      const read = header
        .split(/(?<=\?=) (?==\?)/)
        .map((word) => {
          const encoded = /^=\?UTF-8\?B\?([\w+/=]+)\?=$/.exec(word)?.[1];
          expect([word.length <= 75, encoded]).toEqual([true, expect.any(String)]);
          return Buffer.from(encoded ?? '', 'base64').toString();
        })
        .join('');
      expect(read).toBe(subject);
    },
  );

  it('has one short line for a subject of a megabyte with line breaks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-mails-'));
    await fileMailer(folder, sender).send({ ...mail, subject: 'x\r\nBcc: eve@example.com\n'.repeat(45_000) });
    const headers = headersOf(readFileSync(join(folder, '5.eml'), 'utf8'));
    rmSync(folder, { recursive: true });
    expect(headers).not.toMatch(/^Bcc:/m);
    expect(headers.length).toBeLessThan(2_000);
  });

  it('that its server refuses is distinguished from one that can be retried', async () => {
    const refusing = await smtpServer({ RCPT: '550 no such user' });
    const busy = await smtpServer({ RCPT: '451 later' });
    const locked = await smtpServer({ EHLO: '250-mail.example\r\n250 AUTH PLAIN', AUTH: '535 wrong password' });
    const withUser = locked.url.replace('smtp://', 'smtp://user:wrong@');
    const outcomes = [];
    for (const url of [refusing.url, busy.url, withUser, 'smtp://127.0.0.1:1']) {
      const mailer = smtpMailer(url, sender);
      outcomes.push(
        await mailer.send(mail).then(
          () => 'sent',
          (error: Error) => error.constructor.name,
        ),
      );
      mailer.close();
    }
    for (const { server } of [refusing, busy, locked]) server.close();
    expect(outcomes[0]).toBe('MailRefused');
    expect(outcomes.slice(1)).not.toContain('MailRefused');
    expect(outcomes.slice(1)).not.toContain('sent');
  });

  it('becomes a file where there is no server, the same one when it comes again', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'switchyard-mails-')), 'mails');
    const mailer = fileMailer(folder, sender);
    await mailer.send(mail);
    await mailer.send(mail);
    expect(readdirSync(folder)).toEqual(['5.eml']);
    expect(statSync(join(folder, '5.eml')).mode & 0o777).toBe(0o600);
    expect(headersOf(readFileSync(join(folder, '5.eml'), 'utf8'))).toContain(
      'Message-ID: <alert.raised.7.3@code.example>',
    );
    rmSync(folder, { recursive: true });
  });

  it('that became a file is kept for a week, and the newest of many; other files stay', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-mails-'));
    const days = (count: number) => Date.now() / 1_000 - count * 86_400;
    const files = { '1.eml': 8, '2.eml.part': 8, '3.eml': 6, '4.eml': 5, '5.eml': 4, 'notes.txt': 30 };
    for (const [name, age] of Object.entries(files)) {
      writeFileSync(join(folder, name), name);
      utimesSync(join(folder, name), days(age), days(age));
    }
    await fileMailer(folder, sender, 2).sweep();
    expect(readdirSync(folder).sort()).toEqual(['4.eml', '5.eml', 'notes.txt']);
    rmSync(folder, { recursive: true });
    await fileMailer(folder, sender).sweep();
  });
});
