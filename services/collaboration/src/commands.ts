import { issueEvents, noteEvents, publishStates } from '@switchyard/events';
import { type Command, command } from '@switchyard/service';
import { rebuildActivity } from './activity';
import { recomputeEpicDates } from './epic-trees';
import { issueStates } from './issues';
import { noteStates } from './notes';
import { reportOf } from './rebuilds';
import { rebuildTodos } from './todos';

/** Sub-commands for the operator, by name. */
export const commands: Readonly<Record<string, Command>> = {
  'rebuild-activity': command({
    async run({ db, bus, write }) {
      write(reportOf('activity', await rebuildActivity({ db, bus: bus() })));
    },
  }),
  'rebuild-todos': command({
    async run({ db, bus, write }) {
      write(reportOf('todos', await rebuildTodos({ db, bus: bus() })));
    },
  }),
  'recompute-epic-dates': command({
    async run({ db, write }) {
      write(`${await recomputeEpicDates(db)} dates of epics were others`);
    },
  }),
  // Present states of all issues, and the counts of merge requests, for the other services.
  'publish-states': command({
    async run({ db, write }) {
      write(`${await publishStates({ db, event: issueEvents, read: issueStates })} issues published`);
      write(`${await publishStates({ db, event: noteEvents, read: noteStates })} notes published`);
    },
  }),
};
