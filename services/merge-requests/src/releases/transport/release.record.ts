import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { recordFields } from '@switchyard/service';
import type { ArchivedRelease } from '../domain/release';

const { text, body, user, names, time, namedTime } = recordFields;

/** A release as an archive has it (ADR 60); the first archives have no milestones, links and times of change. */
export const releaseRecord = z.object({
  tag: text(255),
  name: text(255),
  description: body.nullable(),
  author: user,
  milestones: names.default([]),
  links: z
    .array(
      z.object({
        name: text(255),
        url: text(2_048),
        path: text(128).nullable(),
        type: z.enum(['other', 'runbook', 'image', 'package']),
      }),
    )
    .max(100)
    .default([]),
  released_at: namedTime,
  created_at: time,
  updated_at: time.optional(),
});

type ReleaseRecord = z.infer<typeof releaseRecord>;

/** Names of authors. */
export const authorsOf = (given: readonly ReleaseRecord[]): (string | null)[] => given.map(({ author }) => author);

/** A release of an archive with its author as a user. */
export const toImported =
  (projectId: number, people: ImportedPeople) =>
  ({ author, tag, name, description, milestones, links, ...times }: ReleaseRecord): ArchivedRelease => {
    return {
      projectId,
      tag,
      name,
      authorId: people.writer(author),
      description: description || undefined,
      milestones,
      links: links.map((link) => ({ ...link, path: link.path ?? undefined })),
      releasedAt: times.released_at,
      createdAt: times.created_at,
      updatedAt: times.updated_at ?? times.created_at,
    };
  };
