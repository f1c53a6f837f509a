import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';

/** A file that the page loads. */
interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
}

/** The package of the gateway: compiled modules lie in `dist`, style sheet and icon beside their sources. */
const home = resolve(__dirname, '../../..');
const compiled = join(home, 'dist/pages/trains/browser');
const sources = join(home, 'src/pages/trains/browser');

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Modules of the page itself. */
const modules = (): [string, string][] =>
  readdirSync(compiled, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, join(compiled, name)]);

/** Files of the packages, under the names by which the page imports them. */
const packages = (): [string, string][] => [
  ['libs/preact.js', require.resolve('preact')],
  ['libs/uplot.js', require.resolve('uplot/dist/uPlot.esm.js')],
  ['uplot.css', require.resolve('uplot/dist/uPlot.min.css')],
];

/** Style sheets of the page, in the order in which they apply. */
const styles = ['page.css', 'cars.css', 'figures.css'];

function readAssets(): Map<string, Asset> {
  const own = [...styles, 'icon.svg'].map((name): [string, string] => [name, join(sources, name)]);
  return new Map(
    [...modules(), ...packages(), ...own].map(([name, path]) => {
      const bytes = readFileSync(path);
      return [name, { type: types[extname(name)] as string, bytes, gzip: gzipSync(bytes) }];
    }),
  );
}

/** One text for all contents: the files lie below it, so that a browser can keep them for good. */
function versionOf(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const [name, { bytes }] of [...assets].sort(([one], [other]) => one.localeCompare(other)))
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  return hash.digest('hex').slice(0, 16);
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

const pageOf = (base: string, files: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Merge trains</title>
<link rel="icon" href="${files}/icon.svg">
<link rel="stylesheet" href="${files}/uplot.css">
${styles.map((name) => `<link rel="stylesheet" href="${files}/${name}">`).join('\n')}
<link rel="modulepreload" href="${files}/libs/preact.js">
<script type="module" src="${files}/main.js"></script>
</head>
<body>
<div id="app" data-base="${base}"><noscript>This page needs JavaScript. The same can be read from the API, at ${base}/api/v4.</noscript></div>
</body>
</html>
`;

function send(request: Request, response: Response, { type, bytes, gzip }: Asset): void {
  const zipped = request.acceptsEncodings('gzip') === 'gzip';
  response.vary('Accept-Encoding').set('Content-Type', type);
  if (zipped) response.set('Content-Encoding', 'gzip');
  response.send(zipped ? gzip : bytes);
}

/**
 * Mounts the page that shows merge trains at `/-/trains/<project path>[/<branch>]`, and its files at
 * `/-/pages/trains/<version>/`. It holds nothing: what it shows it reads from the API, with the token of its reader.
 * @param externalUrl address of the installation; its path stands before every address
 * @throws when a file is missing: an installation without its page must not start
 */
export const trainsPage =
  (externalUrl: string) =>
  (app: Express): void => {
    const base = escaped(new URL(externalUrl).pathname.replace(/\/+$/, ''));
    const assets = readAssets();
    const root = `/-/pages/trains/${versionOf(assets)}`;
    const bytes = Buffer.from(pageOf(base, base + root));
    const page: Asset = { type: 'text/html; charset=utf-8', bytes, gzip: gzipSync(bytes) };
    app.get(/^\/-\/trains(\/.*)?$/, (request, response) => {
      response.set('Cache-Control', 'no-cache');
      send(request, response, page);
    });
    // During a rolling update a page of one version asks an instance of another for its files. It gets the current ones,
    // which no cache may keep under that version.
    app.get(/^\/-\/pages\/trains\/[0-9a-f]{16}\/./, (request, response, next) => {
      const [directory, name] = [request.path.slice(0, root.length), request.path.slice(root.length + 1)];
      const asset = assets.get(name);
      if (asset === undefined) return next();
      response.set('Cache-Control', directory === root ? 'public, max-age=31536000, immutable' : 'no-store');
      send(request, response, asset);
    });
  };
