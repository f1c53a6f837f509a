import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';

/** A number written in decimal digits; `Number` takes blanks, hexadecimal numbers and powers as well. */
const digits = /^\d{1,16}(?:\.\d{1,16})?$/;

const numberIn = (low: number, high: number, kind: string, form: (written: string) => boolean) =>
  z
    .string()
    .refine(
      (written) => form(written) && Number(written) >= low && Number(written) <= high,
      `must be a ${kind} from ${low} to ${high}`,
    )
    .transform(Number);

/** A whole number within bounds, both included. */
export const wholeNumber = (low: number, high: number) =>
  numberIn(low, high, 'whole number', (written) => digits.test(written) && !written.includes('.'));

/** A number within bounds, both included, with or without decimals. */
export const decimalNumber = (low: number, high: number) =>
  numberIn(low, high, 'number', (written) => digits.test(written));

/** A port to listen on; 0 for any free one. */
export const port = () => wholeNumber(0, 65_535);

/** Whether `entry` is `host:port`; an address of IPv6 is in brackets. */
export function isHostPort(entry: string): boolean {
  const port = Number(/^(?:\[[0-9a-fA-F:]+\]|[^\s:/@]+):(\d{1,5})$/.exec(entry)?.[1]);
  return port >= 1 && port <= 65_535;
}

/** The gRPC address of a process. */
export const hostPort = () => z.string().refine(isHostPort, 'must be host:port');

const parsed = (written: string): URL | undefined => (URL.canParse(written) ? new URL(written) : undefined);

/** An address that paths are put behind, without a slash at its end. Its messages have no part of it: it may hold a password. */
export const webAddress = () =>
  z
    .string()
    .refine(
      (written) => /^https?:\/\/[^/]/i.test(written) && parsed(written) !== undefined,
      'must be a URL beginning with http:// or https://',
    )
    .refine((written) => !/[?#]/.test(written), 'must not carry a query or a fragment')
    .refine((written) => {
      const { username = '', password = '' } = parsed(written) ?? {};
      return username === '' && password === '';
    }, 'must not carry a user or a password')
    .transform((written) => written.replace(/\/+$/, ''));

/** The address of a database of PostgreSQL, as pg reads it: `user@/database?host=/socket` is no URL. */
export const databaseAddress = () => z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address');

/** Whether the nearest part of a path that exists is a folder, so that the rest can be made in it. */
function isFolder(path: string): boolean {
  let at = resolve(path);
  for (;;) {
    try {
      return statSync(at).isDirectory();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // What cannot be looked at is left to who uses it.
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || at === dirname(at)) return true;
      at = dirname(at);
    }
  }
}

/** The data folder of the installation, which need not exist yet. */
export const dataFolder = () => z.string().default('.switchyard').refine(isFolder, 'is not a folder');

/** A count of PostgreSQL's integer has room for it. */
const maxRequests = 1_000_000_000;
const maxSeconds = 86_400;

const isBetween = (written: string | undefined, high: number): boolean =>
  Number(written) >= 1 && Number(written) <= high;

/** Requests in a window: `<requests>/<seconds>`. */
export const rate = () =>
  z
    .string()
    .refine((written) => {
      const [, requests, seconds] = /^(\d{1,10})\/(\d{1,10})$/.exec(written) ?? [];
      return isBetween(requests, maxRequests) && isBetween(seconds, maxSeconds);
    }, `must be <requests>/<seconds>, from 1/1 to ${maxRequests}/${maxSeconds}`)
    .transform((written) => {
      const [requests, seconds] = written.split('/').map(Number) as [number, number];
      return { requests, seconds };
    });
