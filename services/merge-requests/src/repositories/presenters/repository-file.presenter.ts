import type { Commit, FileMeta } from '../../git';
import { dateTime } from './text';

/** A file at a commit, as replies describe it. */
export interface FileView {
  readonly file: FileMeta;
  /** Branch, tag or sha as the caller named it. */
  readonly ref: string;
  /** Commit `ref` means. */
  readonly commitId: string;
}

/** A file with its content. */
export const fileObject = ({ file, ref, commitId }: FileView, content: Buffer) => ({
  file_name: file.name,
  file_path: file.path,
  size: file.size,
  encoding: 'base64',
  content_sha256: file.sha256,
  ref,
  blob_id: file.blob,
  commit_id: commitId,
  last_commit_id: file.lastCommit,
  execute_filemode: file.executable,
  content: content.toString('base64'),
});

// A header holds latin-1 without control characters; other names are percent-encoded.
const headerText = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text));

/** The `X-Gitlab-*` headers of a file. */
export const fileHeaders = ({ file, ref, commitId }: FileView): Record<string, string> => ({
  'X-Gitlab-Blob-Id': file.blob,
  'X-Gitlab-Commit-Id': commitId,
  'X-Gitlab-Content-Sha256': file.sha256,
  'X-Gitlab-Encoding': 'base64',
  'X-Gitlab-Execute-Filemode': String(file.executable),
  'X-Gitlab-File-Name': headerText(file.name),
  'X-Gitlab-File-Path': headerText(file.path),
  'X-Gitlab-Last-Commit-Id': file.lastCommit,
  'X-Gitlab-Ref': headerText(ref),
  'X-Gitlab-Size': String(file.size),
});

/** Lines that follow each other and were last changed by one commit. */
export const blameObject = ({ commit, lines }: { readonly commit: Commit; readonly lines: readonly string[] }) => ({
  commit: {
    id: commit.id,
    parent_ids: commit.parents,
    message: commit.message,
    authored_date: dateTime(commit.authoredAt),
    author_name: commit.authorName,
    author_email: commit.authorEmail,
    committed_date: dateTime(commit.committedAt),
    committer_name: commit.committerName,
    committer_email: commit.committerEmail,
  },
  lines,
});
