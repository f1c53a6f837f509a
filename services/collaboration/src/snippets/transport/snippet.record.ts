import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { archiveSource, recordFields } from '@switchyard/service';
import type { ImportedSnippet } from '../domain/snippet-change';
import { archivedSnippet } from '../domain/snippet-row';

const { text, body, user, time } = recordFields;

/** Characters of a file of a snippet: those that a page of an archive can have. */
const maxContent = 64 << 20;

/** A snippet of a project as an archive has it (ADR 60). */
export const snippetRecord = z.object({
  id: z.int().min(1),
  title: text(255),
  description: body.nullable(),
  visibility: z.enum(['private', 'internal', 'public']),
  author: user,
  files: z.array(z.object({ path: text(255), content: text(maxContent) })).max(10),
  created_at: time,
  updated_at: time,
});

type SnippetRecord = z.infer<typeof snippetRecord>;

/** Names of authors. */
export const authorsOf = (given: readonly SnippetRecord[]): (string | null)[] => given.map(({ author }) => author);

/** A snippet of an archive with its author as a user. */
export const toImported =
  (projectId: number, people: ImportedPeople) =>
  ({ id, author, description, files, created_at, updated_at, ...record }: SnippetRecord): ImportedSnippet => {
    return {
      place: { projectId, authorId: people.writer(author) },
      change: {
        ...record,
        description: description ?? '',
        files: files.map((file) => ({ ...file, action: '', previousPath: '' })),
      },
      origin: {
        importedFrom: archiveSource,
        foreignId: archivedSnippet(projectId, id),
        createdAt: created_at,
        updatedAt: updated_at,
      },
    };
  };
