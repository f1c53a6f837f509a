import type { ForgeFile } from './forge';

/** A part of a path that leads nowhere else. */
const isPart = (part: string): boolean => part !== '' && part !== '.' && part !== '..';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** The address of a link without query and fragment; undefined for what is none, or has a user in it. */
function addressOf(link: string): URL | undefined {
  if (!URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.search = '';
  url.hash = '';
  return url;
}

/** The path of an address below another one, without a slash before it; undefined where it does not lie there. */
const below = (url: URL, web: string): string | undefined =>
  url.href.startsWith(`${web}/`) ? url.href.slice(web.length + 1) : undefined;

/** Their ids cannot be guessed: who links to one has seen it. */
const assets = /^user-attachments\/assets\/[\w.-]+$/;
const numberedFiles = /^user-attachments\/files\/[^/]+\/[^/]+$/;
const ofRepository = /^([\w.-]{1,100}\/[\w.-]{1,100})\/(?:assets|files)\/\d{1,19}\/[^/]+$/;

/**
 * A file that forgea keeps for texts, by its own address; those of pictures from before lie at hosts of their own, which need
 * no token. The token reads what its owner may read, and anyone may have written the text: it is used for files of the
 * repository itself, and for those that nobody finds by counting.
 * @param web address of the forge
 * @param repository its owner and name, such as `octo/things`
 */
export function fileOfForgea(
  link: string,
  { web, repository }: { readonly web: string; readonly repository: string },
  authorization: string,
): ForgeFile | undefined {
  const url = addressOf(link);
  if (url === undefined) return undefined;
  const { host, protocol } = new URL(web);
  const hosts =
    host === 'github.com' ? ['user-images.githubusercontent.com'] : [`user-images.${host}`, `media.${host}`];
  if (hosts.includes(url.host) && url.protocol === protocol && url.pathname !== '/')
    return { url: url.href, authorization: '' };
  const path = below(url, web) ?? '';
  if (numberedFiles.test(path)) return { url: url.href, authorization: '' };
  const [, owner] = ofRepository.exec(path) ?? [];
  const isOwn = owner?.toLowerCase() === repository.toLowerCase();
  return assets.test(path) || isOwn ? { url: url.href, authorization } : undefined;
}

/** A picture that the cloud of forgeb keeps for texts. @param web address of the forge */
export function fileOfForgebCloud(link: string, web: string, authorization: string): ForgeFile | undefined {
  const url = addressOf(link);
  if (url === undefined) return undefined;
  return /^repo\/[\w-]{1,100}\/images\/[^/]+$/.test(below(url, web) ?? '')
    ? { url: url.href, authorization }
    : undefined;
}

/**
 * A file that a server of forgeb keeps for texts: `attachment:<id of the repository>/<path>`, or by its address.
 * @param repository address of the repository
 */
export function fileOfForgebServer(link: string, repository: string, authorization: string): ForgeFile | undefined {
  const [, given] = /^attachment:\d{1,15}\/([\w.~%/+-]{1,1000})$/.exec(link) ?? [];
  const attachments = `${repository}/attachments`;
  const url = addressOf(given === undefined ? link : `${attachments}/${given}`);
  const path = url && below(url, attachments);
  if (url === undefined || path === undefined || !decoded(path).split('/').every(isPart)) return undefined;
  return { url: url.href, authorization };
}
