import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { type Harness, people, type TestProject } from './repository-harness';

/** What a user does with a git client. */
export function gitSteps(harness: () => Harness) {
  /** A clone of nothing with one commit. */
  async function repositoryWith(files: Record<string, string | Buffer>, message = 'First'): Promise<string> {
    const folder = harness().folder();
    await harness().git(folder, 'init', '--quiet', '--initial-branch=main');
    await commit(folder, files, message);
    return folder;
  }

  async function commit(folder: string, files: Record<string, string | Buffer>, message: string): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    await harness().git(folder, 'add', '.');
    await harness().git(folder, 'commit', '--quiet', '--allow-empty', '-m', message);
  }

  async function pushed(given: Partial<TestProject> = {}): Promise<{ project: TestProject; folder: string }> {
    const project = await harness().project(given);
    const folder = await repositoryWith({ 'README.md': '# Hello\n' });
    await harness().git(folder, 'remote', 'add', 'origin', harness().remote(people.maintainer, project.path));
    await harness().git(folder, 'push', '--quiet', 'origin', 'main');
    return { project, folder };
  }

  const events = (projectId: number) =>
    harness().db.query<{
      body: {
        refName: string;
        action: string;
        commitCount?: number;
        commitTitle?: string;
        readmePath?: string;
        closes?: { path?: string; iid: number }[];
      };
    }>(sql`select body from events.outbox where key = ${String(projectId)} and type = 'repository.pushed' order by id`);

  return { commit, events, pushed, repositoryWith };
}
