import type { Tx } from '@switchyard/database';
import type { ForgeGist, ForgePage, GistFile } from '../../forges';
import type { EndedGistImport, GistImportLease, GistPlace, GistResult } from '../domain/gist-import';

/** Imports of gists in the database. Every write may be repeated. */
export interface GistImportStore {
  /** Adds one; false while the author has one that goes on. */
  add(authorId: number, host: string, token: string): Promise<boolean>;
  /** Takes the one that has waited longest, or whose lease has run out, for 30 seconds; undefined without one. */
  claim(): Promise<GistImportLease | undefined>;
  /** Extends a lease; false when another process has it. */
  extend(one: GistImportLease): Promise<boolean>;
  /** Gives it back, to be taken again after some seconds. */
  release(one: GistImportLease, seconds: number): Promise<void>;
  /** Records where it goes on, and that it got on; false when another process has it. */
  save(one: GistImportLease, place: GistPlace, result: GistResult): Promise<boolean>;
  /** Ends it, erases its token, and publishes it; false when another process has it. */
  end(one: GistImportLease, problem: string | undefined, publish: PublishEnd): Promise<boolean>;
  /** Removes those that ended more than a week ago. */
  sweep(): Promise<void>;
}

/** Publishes that an import has ended. */
export type PublishEnd = (tx: Tx, ended: EndedGistImport) => Promise<void>;

/** A forge that can be asked for the gists of the owner of its token. Every call throws `ForgeProblem` without an answer. */
export interface GistForge {
  /** Gists of the owner of the token. @param page from 1 */
  gists(page: number, size: number): Promise<ForgePage<ForgeGist>>;
  /** The files of a gist with their contents; undefined for one that is gone, or too large. */
  gistFiles(id: string): Promise<readonly GistFile[] | undefined>;
}

/** Forges by their address. */
export interface GistForges {
  /** What is wrong with the address of a forge; undefined for nothing. */
  problemOf(host: string): string | undefined;
  /** A client of one, with a token. @param host empty for the hosted forge */
  /** @param signal ends every request */
  open(host: string, token: string, signal?: AbortSignal): GistForge;
}

/** Makes the snippet of a gist; one that is there already stays. Fails with `invalid`. */
export type ImportSnippet = (
  authorId: number,
  gist: ForgeGist,
  snippet: { readonly title: string; readonly files: readonly GistFile[] },
  requestId: string,
) => Promise<void>;
