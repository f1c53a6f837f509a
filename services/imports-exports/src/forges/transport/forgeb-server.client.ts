import { z } from '@switchyard/config';
import type { Outbound } from '@switchyard/outbound';
import { type Forge, ForgeProblem, type ForgeProfile, type ForgeRepository } from '../domain/forge';
import { isRefusal, unexpected } from './answers';
import { basicOf, type ForgebCredentials, isPathPart, none, orWithout, restOf, withoutPulls } from './forgeb.rest';
import { text, written } from './shapes';

/** Where a server of the forge is, as its users address it. */
export const forgebServerHost = (address: string): { readonly api: string; readonly web: string } => {
  const given = /^https?:\/\//i.test(address) ? address : `https://${address}`;
  const web = given.replace(/\/+$/, '');
  return { api: `${web}/rest/api/1.0`, web };
};

const repositoryShape = z.object({
  slug: z.string().refine(isPathPart),
  description: text,
  public: z.boolean().catch(false),
  project: z.object({ key: z.string().refine(isPathPart) }),
});

const profileShape = z
  .object({ id: z.int().positive(), displayName: text.catch(''), emailAddress: text.catch('') })
  .transform(
    ({ id, displayName: name, emailAddress }): ForgeProfile => ({
      id: String(id),
      name,
      email: emailAddress || undefined,
    }),
  );

/**
 * A client of a server of the forge, by REST API 1.0. It keeps no issues: those are another product's.
 * @param signal ends every request
 */
export function forgebServerClient(
  outbound: Outbound,
  host: ReturnType<typeof forgebServerHost>,
  credentials: ForgebCredentials,
  signal?: AbortSignal,
) {
  const get = restOf(outbound, host.api, credentials, signal);
  const pathOf = (fullName: string): string => {
    const [project = '', name = '', ...more] = fullName.split('/');
    if (more.length > 0 || !isPathPart(project) || !isPathPart(name))
      throw new ForgeProblem('not_found', 'The forge has no repository of this name');
    return `/projects/${project}/repos/${name}`;
  };

  /** Servers before version 7.5 have it at the other address; a repository without commits has none. */
  async function defaultBranchOf(path: string): Promise<string> {
    for (const address of ['default-branch', 'branches/default']) {
      const read = z.object({ displayId: written }).safeParse(await orWithout(get(`${path}/${address}`), undefined));
      if (read.success) return read.data.displayId;
    }
    return '';
  }

  const forge: Forge = {
    labels: none,
    milestones: none,
    issues: none,
    issueNotes: none,
    ...withoutPulls,
    async profileOf(login) {
      if (!isPathPart(login)) return undefined;
      try {
        const read = profileShape.safeParse(await get(`/users/${login}`));
        return read.success ? read.data : undefined;
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },
    authorization: basicOf(credentials),
  };
  return {
    ...forge,

    /** A repository as `PROJECT/name`. @throws ForgeProblem */
    async repository(fullName: string): Promise<ForgeRepository> {
      const read = repositoryShape.safeParse(await get(pathOf(fullName)));
      if (!read.success) throw unexpected();
      const { slug, project, description } = read.data;
      const found = `${project.key}/${slug}`;
      return {
        fullName: found,
        name: slug,
        description,
        isPrivate: !read.data.public,
        defaultBranch: await defaultBranchOf(pathOf(found)),
        cloneUrl: `${host.web}/scm/${found}.git`,
      };
    },
  };
}
