import type { PlacedFile } from '../../packages';

const apiVersion = '1.1';

/** A file as an index links to it. */
export interface LinkedFile {
  readonly fileName: string;
  readonly version: string;
  /** Without the digest. */
  readonly url: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly requiresPython: string | undefined;
  /** Why its version was yanked, empty for no reason; undefined for one that was not. */
  readonly yanked: string | undefined;
  readonly createdAt: Date;
}

/** A file of a place whose files lie below `base`. */
export function linkFile(base: string, file: PlacedFile): LinkedFile {
  const { fileName, version = '', sha256, size, createdAt, metadata, packageMetadata } = file;
  const { requires_python: requiresPython } = metadata as { readonly requires_python?: string };
  const { yanked } = packageMetadata as { readonly yanked?: string };
  const url = `${base}/files/${sha256}/${encodeURIComponent(fileName)}`;
  return { fileName, version, url, sha256, size, requiresPython, yanked, createdAt };
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

const page = (title: string, links: readonly string[]): string =>
  [
    '<!DOCTYPE html>',
    `<html><head><meta name="pypi:repository-version" content="${apiVersion}"><title>${title}</title></head>`,
    `<body><h1>${title}</h1>`,
    ...links.map((link) => `${link}<br>`),
    '</body></html>',
    '',
  ].join('\n');

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escaped(value)}"`;

const htmlLink = ({ fileName, url, sha256, requiresPython, yanked }: LinkedFile): string => {
  const facts = `${attribute('data-requires-python', requiresPython)}${attribute('data-yanked', yanked)}`;
  return `<a href="${escaped(url)}#sha256=${sha256}"${facts}>${escaped(fileName)}</a>`;
};

/** The files of a project as HTML (PEP 503, PEP 592). */
export const projectHtml = (name: string, files: readonly LinkedFile[]): string =>
  page(`Links for ${escaped(name)}`, files.map(htmlLink));

/** The same as JSON (PEP 691, PEP 700). */
export const projectJson = (name: string, files: readonly LinkedFile[]): string =>
  JSON.stringify({
    meta: { 'api-version': apiVersion },
    name,
    versions: [...new Set(files.map(({ version }) => version))],
    files: files.map(({ fileName, url, sha256, size, requiresPython, yanked, createdAt }) => ({
      filename: fileName,
      url,
      hashes: { sha256 },
      ...(requiresPython === undefined ? {} : { 'requires-python': requiresPython }),
      // An empty reason would read as not yanked.
      yanked: yanked === undefined ? false : yanked || true,
      size,
      'upload-time': createdAt,
    })),
  });

/** The projects of an index whose pages lie below `base`, as HTML. */
export const namesHtml = (base: string, names: readonly string[]): string =>
  page(
    'Simple index',
    names.map((name) => `<a href="${escaped(base)}/simple/${escaped(name)}/">${escaped(name)}</a>`),
  );

/** The same as JSON. */
export const namesJson = (names: readonly string[]): string =>
  JSON.stringify({ meta: { 'api-version': apiVersion }, projects: names.map((name) => ({ name })) });

/** Media types of an index, and whether they are JSON. */
const types: readonly (readonly [string, boolean])[] = [
  ['text/html', false],
  ['application/vnd.pypi.simple.v1+html', false],
  ['application/vnd.pypi.simple.v1+json', true],
];

const typeOf = (asked: string): readonly [string, boolean] | undefined =>
  asked === '*/*' || asked === 'text/*'
    ? types[0]
    : types.find(([type]) => type === asked.replace(/(?<=simple\.)latest(?=\+)/, 'v1'));

/** The media type in which a client wants an index most, of those there are; HTML for all that ask for none of them. */
export function negotiate(accept: string | undefined): { readonly type: string; readonly json: boolean } {
  let best: readonly [string, boolean] = types[0] as readonly [string, boolean];
  let most = 0;
  for (const part of (accept ?? '').slice(0, 2_000).split(',')) {
    const [asked = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    const type = typeOf(asked);
    if (type !== undefined && weight > most) [best, most] = [type, weight];
  }
  return { type: best[0], json: best[1] };
}
