import { type Api, Refusal } from './api.ts';
import type { Project } from './representations.ts';

/** What the address of the page names: a project, and a branch where one follows it. */
export interface Address {
  readonly project: Project;
  /** Undefined for the list of the project's trains. */
  readonly branch: string | undefined;
}

/** Where the pages of trains begin, below the base of the installation. */
const root = '/-/trains';

/** The segments after `/-/trains/`, decoded. */
export const segmentsOf = (pathname: string, base: string): string[] =>
  pathname
    .slice(base.length + root.length)
    .split('/')
    .filter((one) => one !== '')
    .map(decode);

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a page. */
export const pageOf = (base: string, project: string, branch?: string): string =>
  `${base}${root}/${[...project.split('/'), ...(branch === undefined ? [] : branch.split('/'))].map(encodeURIComponent).join('/')}`;

/** Levels of groups above a project. */
const maxLevels = 21;

/**
 * Finds the project among the segments, the shortest first: below a project lies no other, so what is found is the only
 * one, and the rest is the branch, which may have slashes too.
 * @throws Refusal 404 when there is none that the token may see
 */
export async function resolveAddress(api: Api, segments: readonly string[], signal: AbortSignal): Promise<Address> {
  for (let length = 2; length <= Math.min(segments.length, maxLevels); length += 1) {
    const path = segments.slice(0, length).join('/');
    try {
      const { body } = await api.get<Project>(`/projects/${encodeURIComponent(path)}`, signal);
      const rest = segments.slice(length);
      return { project: body, branch: rest.length === 0 ? undefined : rest.join('/') };
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
  }
  throw new Refusal(404, 0);
}
