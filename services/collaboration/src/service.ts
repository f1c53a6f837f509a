import { type Area, defineService } from '@switchyard/service';
import { composeActivity } from './activity';
import { composeAlerts } from './alerts';
import { composeAuthorship } from './authorship';
import { commands } from './commands';
import { composeCrossReferences } from './cross-references';
import { composeDeletedUsers } from './deleted-users';
import { type Edges, variables } from './edges';
import { composeEpicTrees } from './epic-trees';
import { composeEpics } from './epics';
import { composeExportNotices } from './export-notices';
import { PrismaClient } from './generated/prisma/client';
import { composeHookBodies } from './hook-bodies';
import { composeImportNotices } from './import-notices';
import { composeIssues } from './issues';
import { composeLedger } from './ledger';
import { composeMail, mailAttempts } from './mail';
import { composeMergeRequests } from './merge-requests';
import { migrationSets } from './migrations';
import { composeNotes } from './notes';
import { composeNotificationSettings } from './notification-settings';
import { composeNotifications } from './notifications';
import { composeProjectRecords } from './project-records';
import { composeSnippets } from './snippets';
import { composeTargets } from './targets';
import { composeTodos } from './todos';
import { composeTokenNotices } from './token-notices';

/** Areas, those first on which others rest. */
function areas(given: Edges): Area[] {
  const targets = composeTargets(given);
  const issues = composeIssues(given, { mergeRequests: targets.MergeRequest });
  const epics = composeEpics(given, { issues: issues.parts, lists: issues.lists });
  const snippets = composeSnippets(given);
  const todos = composeTodos(given, { ...targets, Issue: issues.targets, Epic: epics.targets });
  const notes = composeNotes(given, { issues, epics, snippets, commandTodos: todos.commands });
  const notifications = composeNotifications(given);
  return [
    composeMail(given, notifications),
    issues,
    composeEpicTrees(given),
    epics,
    snippets,
    notes,
    todos,
    composeCrossReferences(given),
    composeActivity(given),
    composeMergeRequests(given, [
      todos.mergeRequestFollower,
      notes.mergeRequestFollower,
      notes.suggestionFollower,
      issues.mergeRequestFollower,
    ]),
    composeAlerts(given, { todos }),
    composeTokenNotices(given),
    composeExportNotices(),
    composeImportNotices(),
    composeDeletedUsers(given, [issues.authored, epics.authored, snippets.authored, ...notes.authored]),
    composeHookBodies(given),
    composeLedger(given, { mailAttempts }),
    composeNotificationSettings(given),
    notifications,
    composeProjectRecords(given, { ...issues.records, ...notes.records, snippets: snippets.records }),
    composeAuthorship(given),
    // New areas
  ];
}

/** The service collaboration: issues, notes, snippets, to-dos, the feed of events, and mail. */
export const service = defineService({
  name: 'collaboration',
  variables,
  migrationSets,
  peers: ['groups-admin', 'merge-requests', 'alerts'],
  needs: { directory: true, prisma: PrismaClient },
  commands,
  areas,
});
