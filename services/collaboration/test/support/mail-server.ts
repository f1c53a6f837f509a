import type { AddressInfo } from 'node:net';
import { eventually } from '@switchyard/testkit';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** What the server does with a mail once it has read it: takes it, refuses it, or goes away without an answer. */
export type Treatment = 'take' | 'refuse' | 'vanish';

/** A real mail server that reads what arrives. */
export interface MailServer {
  readonly url: string;
  /** Mails that were taken, and those that were read before the server went away. */
  readonly arrived: (ParsedMail & { readonly to: { readonly text: string } })[];
  treatment: Treatment;
  /** Mails to an address, at least `count` of them. */
  mailsTo(address: string, count?: number): Promise<ParsedMail[]>;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const arrived: MailServer['arrived'] = [];
  const state: { treatment: Treatment } = { treatment: 'take' };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      simpleParser(stream).then(
        (mail) => {
          if (state.treatment === 'refuse')
            return done(Object.assign(new Error('no such user'), { responseCode: 550 }));
          arrived.push(mail as MailServer['arrived'][number]);
          if (state.treatment === 'take') return done();
          // The mail was read, and its sender never hears of it.
          state.treatment = 'take';
          const { _socket: socket } = [...server.connections].find(({ id }) => id === session.id) as never as {
            _socket: { destroy(): void };
          };
          return socket.destroy();
        },
        (error: Error) => done(error),
      );
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as AddressInfo;
  const to = (address: string) => arrived.filter((mail) => mail.to.text.includes(address));
  return {
    url: `smtp://127.0.0.1:${port}`,
    arrived,
    get treatment() {
      return state.treatment;
    },
    set treatment(treatment) {
      state.treatment = treatment;
    },
    async mailsTo(address, count = 1) {
      await eventually(async () => {
        if (to(address).length < count) throw new Error(`${to(address).length} mails to ${address}`);
      });
      return to(address);
    },
    close: () => new Promise((closed) => void server.close(() => closed())),
  };
}
