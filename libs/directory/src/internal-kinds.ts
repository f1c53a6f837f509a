import { sql } from '@switchyard/database/sql';

/** Kinds of users that the instance keeps for itself: nobody assigns to them or mentions them. */
export const internalKinds = sql`'{ghost,alert_bot,placeholder}'`;
