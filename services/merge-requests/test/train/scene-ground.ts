import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { prepareGround } from '../component/repository-harness';
import type { SceneGround } from './scene-sequences';

/** A database and a volume for any number of trains; `close` removes both. */
export async function prepareSceneGround(): Promise<SceneGround & { close(): Promise<void> }> {
  const ground = await prepareGround();
  const db = openDatabase({ url: ground.databaseUrl, applicationName: 'trains' });
  await db.query(sql`insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40)`);
  let projects = 0;
  return {
    db,
    data: ground.folder,
    nextProject() {
      projects += 1;
      return projects;
    },
    async close() {
      await db.close();
      await ground.close();
    },
  };
}
