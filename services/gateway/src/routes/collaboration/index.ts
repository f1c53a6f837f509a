import type { Route } from '../../http/route';
import { awardEmojiRoutes } from './award-emoji.routes';
import { commitCommentRoutes } from './commit-comments.routes';
import { discussionRoutes } from './discussions.routes';
import { draftNoteRoutes } from './draft-notes.routes';
import { epicTreeRoutes } from './epics/epic-trees.routes';
import { epicRoutes } from './epics/epics.routes';
import { relatedEpicRoutes } from './epics/related-epics.routes';
import { eventRoutes } from './events.routes';
import { issueListRoutes } from './issue-lists.routes';
import { issueRoutes } from './issues.routes';
import { ledgerRoutes } from './ledger.routes';
import { noteRoutes } from './notes.routes';
import { notificationSettingsRoutes } from './notification-settings.routes';
import { snippetRoutes } from './snippets.routes';
import { suggestionRoutes } from './suggestions.routes';
import { todoRoutes } from './todos.routes';

/** What the service collaboration serves. */
export const routes: readonly Route[] = [
  ...eventRoutes,
  ...snippetRoutes,
  ...noteRoutes,
  ...discussionRoutes,
  ...draftNoteRoutes,
  ...suggestionRoutes,
  ...commitCommentRoutes,
  ...awardEmojiRoutes,
  ...issueListRoutes,
  ...issueRoutes,
  ...epicRoutes,
  ...epicTreeRoutes,
  ...relatedEpicRoutes,
  ...todoRoutes,
  ...notificationSettingsRoutes,
  ...ledgerRoutes,
];
