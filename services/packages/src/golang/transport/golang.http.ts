import { isAppError } from '@switchyard/errors';
import { type AdmissionQueue, anonymous, type ForwardedCall, type ForwardedEndpoint } from '@switchyard/rpc';
import { isKnown, ownerOf, sendBody, sendDocument } from '../../contents';
import { type FoundVersion, type GoModules, goModules, goNotFound } from '../application/go-modules';
import type { OpenSourceCode } from '../application/source-code';
import { mayReadCode } from '../domain/code-reader';
import { type GoModule, moduleAt, unescapeGo } from '../domain/module-path';
import { writeModuleZip, zipTag } from './module-zip';

/** What the endpoints work with. */
export interface GolangHttpEdges {
  readonly openSource: OpenSourceCode;
  /** Name of the host, with which the paths of modules begin. */
  readonly host: string;
  /** Bounds the zips that are written at a time. */
  readonly zips: AdmissionQueue;
}

/** A module as a request finds it. */
interface Asked {
  readonly modules: GoModules;
  readonly module: GoModule;
}

const text = 'text/plain; charset=utf-8';
const json = 'application/json';
const revalidated = { 'Cache-Control': 'max-age=0, private, must-revalidate' };

/** Go prints the text of a refusal where it is plain. */
const refusedAsText =
  (run: (call: ForwardedCall) => Promise<void>) =>
  async (call: ForwardedCall): Promise<void> => {
    try {
      await run(call);
    } catch (error) {
      if (!isAppError(error, 'not_found') || call.response.headersSent) throw error;
      const { message } = error.body;
      const headers = { 'Content-Type': text, ...revalidated };
      sendBody(call, error.status, typeof message === 'string' ? message : 'not found', headers);
    }
  };

const infoOf = ({ version, commit }: FoundVersion) => ({
  Version: version,
  Time: commit.committedAt.toISOString().replace('.000Z', 'Z'),
});

/** Modules of a project's repository on the internal HTTP port, by the protocol of Go's proxies; zips stream. */
export function golangHttp({ openSource, host, zips }: GolangHttpEdges): readonly ForwardedEndpoint[] {
  function asked({ projectId, claims, parts }: ForwardedCall): Asked {
    const { actor = anonymous, access, requestId } = claims;
    const reader = {
      level: access?.level ?? 0,
      admin: actor.admin,
      isInternal: actor.userId > 0 && !actor.external,
      lacksScope: actor.deployTokenId !== undefined && !actor.scopes.includes('read_repository'),
    };
    const project = { visibility: access?.visibility ?? '', isClosed: access?.closed?.repository === true };
    const path = unescapeGo(parts[0] ?? '');
    const module = path === undefined ? undefined : moduleAt(`${host}/${access?.fullPath ?? ''}`, path);
    if (module === undefined || !mayReadCode(project, reader)) throw goNotFound('this project has no such module');
    return { module, modules: goModules(openSource(projectId, { userId: actor.userId, requestId })) };
  }

  function versionOf({ parts }: ForwardedCall): string {
    const version = unescapeGo(parts[1] ?? '');
    if (version === undefined) throw goNotFound('a version is written with ! before a capital letter');
    return version;
  }

  async function list(call: ForwardedCall): Promise<void> {
    const { modules, module } = asked(call);
    const versions = await modules.list(module);
    await sendDocument(call, versions.map((one) => `${one}\n`).join(''), text);
  }

  async function latest(call: ForwardedCall): Promise<void> {
    const { modules, module } = asked(call);
    await sendDocument(call, JSON.stringify(infoOf(await modules.latest(module))), json);
  }

  async function info(call: ForwardedCall): Promise<void> {
    const { modules, module } = asked(call);
    await sendDocument(call, JSON.stringify(infoOf(await modules.info(module, versionOf(call)))), json);
  }

  async function mod(call: ForwardedCall): Promise<void> {
    const { modules, module } = asked(call);
    await sendDocument(call, (await modules.goMod(module, versionOf(call))).toString(), text);
  }

  async function zip(call: ForwardedCall): Promise<void> {
    const { response, request } = call;
    const { modules, module } = asked(call);
    const version = versionOf(call);
    const left = new AbortController();
    response.once('close', () => left.abort());
    const owner = ownerOf(call);
    await zips.run(
      async () => {
        const files = await modules.files(module, version);
        const ETag = zipTag(files);
        const known = isKnown(call, ETag);
        response.writeHead(known ? 304 : 200, {
          ETag,
          ...revalidated,
          'Content-Type': 'application/zip',
          'X-Content-Type-Options': 'nosniff',
        });
        if (known || request.method === 'HEAD') response.end();
        else await writeModuleZip(files, modules.contents(files, left.signal), response);
      },
      { owner, signal: left.signal },
    );
  }

  const of = (rest: string): RegExp => new RegExp(`^/projects/(\\d{1,15})/packages/golang/([^/]+)/${rest}$`);
  return Object.entries({
    list,
    latest,
    'info/([^/]+)': info,
    'mod/([^/]+)': mod,
    'zip/([^/]+)': zip,
  }).map(([rest, run]) => ({ methods: ['GET', 'HEAD'], path: of(rest), run: refusedAsText(run) }));
}
