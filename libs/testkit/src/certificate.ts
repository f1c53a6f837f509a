import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface TestCertificate {
  /** Signed by itself, so it is its own CA; for `localhost` and `127.0.0.1`. */
  readonly certificate: string;
  readonly key: string;
  /** Key and certificate in one file. */
  readonly both: string;
}

/**
 * Makes a key and a certificate in a folder by `openssl`.
 * @param name begins the names of the files
 */
export function testCertificate(folder: string, name: string): TestCertificate {
  const certificate = join(folder, `${name}.pem`);
  const key = join(folder, `${name}.key`);
  const both = join(folder, `${name}-both.pem`);
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '30',
  ];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  writeFileSync(both, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'));
  return { certificate, key, both };
}
