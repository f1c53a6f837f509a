import { isPicture, uploadName } from './upload';

/** Endings of names by the media type of a file. */
const endings: Readonly<Record<string, string>> = {
  ...{ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/tiff': 'tiff' },
  ...{ 'image/x-icon': 'ico', 'image/bmp': 'bmp', 'image/svg+xml': 'svg', 'text/plain': 'txt' },
  ...{ 'video/mp4': 'mp4', 'video/quicktime': 'mov', 'video/webm': 'webm' },
  ...{ 'application/pdf': 'pdf', 'application/zip': 'zip', 'application/gzip': 'gz' },
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The name in a header Content-Disposition (RFC 6266); empty for none. */
function announcedName(disposition: string): string {
  const [, extended] = /(?:^|;)\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition) ?? [];
  if (extended !== undefined) return decoded(extended);
  const [, quoted, plain] = /(?:^|;)\s*filename\s*=\s*(?:"([^"]*)"|([^;\s"]+))/i.exec(disposition) ?? [];
  return quoted ?? plain ?? '';
}

/**
 * The name of a file of a forge: that which the answer announces, else the end of its address; with an ending by its type
 * where it has none, as pictures have none that were dropped into a text.
 * @param found media type by the first bytes, as of `Upload`
 */
export function foreignName(
  url: string,
  headers: Readonly<Record<string, string | undefined>>,
  found: { readonly contentType: string },
): string {
  const { pathname } = new URL(url);
  const name = uploadName(
    announcedName(headers['content-disposition'] ?? '') || decoded(pathname.slice(pathname.lastIndexOf('/') + 1)),
  );
  if (/.\.[A-Za-z0-9]{1,8}$/.test(name)) return name;
  const claimed = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = endings[isPicture(found) ? found.contentType : claimed];
  return ending === undefined ? name : uploadName(`${name}.${ending}`);
}

/** An answer of a forge that is not the file. */
export interface MissedFile {
  /** For people. */
  readonly reason: string;
  /** Another try may bring it. */
  readonly mayPass: boolean;
  /** Seconds after which the forge wants to be asked again; 0 where it does not say it. */
  readonly retryAfter: number;
}

/** Longest pause in seconds, whatever a forge asks for. */
const longestPause = 3_600;

/** A file that another try would not bring. */
export const missed = (reason: string): MissedFile => ({ reason, mayPass: false, retryAfter: 0 });

/**
 * What an answer is that is not the file; undefined where it is.
 * @param limit bytes of the largest file
 */
export function missedBy(
  { status, headers, url }: { status: number; headers: Readonly<Record<string, string>>; url: string },
  limit: number,
): MissedFile | undefined {
  if (status !== 200) {
    const asked = Number(headers['retry-after']);
    const retryAfter = Number.isInteger(asked) && asked > 0 ? Math.min(asked, longestPause) : 0;
    const mayPass = status === 429 || status >= 500 || (status === 403 && retryAfter > 0);
    return { reason: `The forge answered ${status}`, mayPass, retryAfter };
  }
  if (Number(headers['content-length'] ?? 0) > limit) return missed(`The file has more than ${limit} bytes`);
  // None was asked for: what it unpacks to has no bound.
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) return missed('The forge sent a compressed answer');
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '') && !/\.html?$/i.test(new URL(url).pathname);
  return isPage ? missed('The forge sent a page in place of the file') : undefined;
}
