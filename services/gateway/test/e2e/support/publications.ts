import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { eventually } from '@switchyard/testkit';
import type { SystemClient } from './system';

/** Formats of packages whose files are published in tests. */
export const formats = ['generic', 'npm', 'maven', 'pypi', 'helm'] as const;
export type Format = (typeof formats)[number];

/** The format of the test at a place, each in turn. */
export const formatAt = (at: number): Format => formats[at % formats.length] as Format;

/** A file of a package: how it is published, and where it is then found, both below the packages of a project. */
export interface Publication {
  readonly content: Buffer;
  readonly send: { readonly method: string; readonly path: string; readonly body: Buffer | FormData };
  readonly download: string;
}

/** A tar archive of one file, as much of one as readers look at. */
function tarOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(`${octal(0, 8)}${octal(0, 8)}${octal(content.length, 12)}${octal(0, 12)}${' '.repeat(8)}0`, 108);
  header.write('ustar\x0000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  );
  const filled = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  content.copy(filled);
  return Buffer.concat([header, filled, Buffer.alloc(1_024)]);
}

function npm(name: string, version: string, text: string): Publication {
  const manifest = { name, version, description: text };
  const content = gzipSync(tarOf('package/package.json', Buffer.from(JSON.stringify(manifest))));
  const file = `${name}-${version}.tgz`;
  const document = {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: manifest },
    _attachments: { [file]: { data: content.toString('base64'), length: content.length } },
  };
  return {
    content,
    send: { method: 'PUT', path: `npm/${name}`, body: Buffer.from(JSON.stringify(document)) },
    download: `npm/${name}/-/${file}`,
  };
}

function pypi(name: string, version: string, text: string): Publication {
  const content = Buffer.from(text);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = `${name}-${version}.tar.gz`;
  const body = new FormData();
  for (const [field, value] of Object.entries({ name, version, sha256_digest: sha256 })) body.set(field, value);
  body.set('content', new Blob([new Uint8Array(content)]), file);
  return { content, send: { method: 'POST', path: 'pypi', body }, download: `pypi/files/${sha256}/${file}` };
}

function helm(name: string, version: string, text: string): Publication {
  const chart = ['apiVersion: v2', `name: ${name}`, `version: ${version}`, `description: ${JSON.stringify(text)}`];
  const content = gzipSync(tarOf(`${name}/Chart.yaml`, Buffer.from(chart.join('\n'))));
  const body = new FormData();
  body.set('chart', new Blob([new Uint8Array(content)]), 'chart.tgz');
  return {
    content,
    send: { method: 'POST', path: 'helm/api/stable/charts', body },
    download: `helm/stable/charts/${name}-${version}.tgz`,
  };
}

const plain = (path: string, text: string): Publication => ({
  content: Buffer.from(text),
  send: { method: 'PUT', path, body: Buffer.from(text) },
  download: path,
});

const publications: Record<Format, (name: string, version: string, text: string) => Publication> = {
  generic: (name, version, text) => plain(`generic/${name}/${version}/file`, text),
  maven: (name, version, text) => plain(`maven/com/acme/${name}/${version}/${name}-${version}.jar`, text),
  npm,
  pypi,
  helm,
};

/** The publication of a text by the protocol of a format. */
export const publicationOf = (format: Format, name: string, version: string, text: string): Publication =>
  publications[format](name, version, text);

/** Refusals of what an earlier attempt, whose answer was lost, has published. */
const taken = /Package already exists|File name has already been taken/;

/** Publishes and downloads files of a project, as the administrator. */
export function publisher(system: SystemClient, projectId: number) {
  const headers = { 'PRIVATE-TOKEN': system.rootToken };
  const at = `${system.url}/api/v4/projects/${projectId}/packages`;
  const attempt = ({ send: { method, path, body } }: Publication, signal?: AbortSignal): Promise<Response> =>
    fetch(`${at}/${path}`, { method, headers, body: body as never, ...(signal === undefined ? {} : { signal }) });
  return {
    attempt,
    /** Publishes a file; again while the service is away. */
    publish: (publication: Publication): Promise<void> =>
      eventually(
        async () => {
          const reply = await attempt(publication);
          const text = await reply.text();
          if (!taken.test(text)) expect([reply.status < 300, text]).toEqual([true, text]);
        },
        { within: 60_000, every: 100 },
      ),
    /** The file, as it is downloaded; undefined where it is not there. */
    async download({ download }: Publication): Promise<Buffer | undefined> {
      const reply = await eventually(
        async () => {
          const found = await fetch(`${at}/${download}`, { headers });
          if (found.status >= 500) throw new Error(`${found.status} ${await found.text()}`);
          return found;
        },
        { within: 60_000, every: 100 },
      );
      const bytes = Buffer.from(await reply.arrayBuffer());
      return reply.status === 200 ? bytes : undefined;
    },
  };
}

/**
 * Waits for the next sweep: then every content has the files that it counts, every blob is that of a content, and nothing
 * else is in the folder.
 */
export async function expectSoundContents(system: SystemClient, projectId: number): Promise<void> {
  const { attempt } = publisher(system, projectId);
  const refused = publicationOf('pypi', 'refused', '1.0', 'refused');
  (refused.send.body as FormData).set('sha256_digest', '0'.repeat(64));
  await eventually(
    async () => {
      // What broke off has an hour, and who is refused has the sweep come by.
      await system.query('packages', 'update blob_remains set due_at = now()');
      expect((await attempt(refused)).status).toBe(400);
      const rows = await system.query(
        'packages',
        `select c.blob, c.uses::int, count(f.id)::int as files from contents c
          left join (select id, content_id from package_files union all select id, content_id from uploads) f on f.content_id = c.id
          group by c.id order by c.blob`,
      );
      expect(rows.filter(({ uses, files }) => uses !== files || files === 0)).toEqual([]);
      const stored = readdirSync(join(system.data, 'blobs', 'packages'), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ name }) => `packages/${name}`)
        .sort();
      expect(stored).toEqual(rows.map(({ blob }) => blob).sort());
    },
    { within: 90_000, every: 300 },
  );
}
