import { SnippetEvent } from '@switchyard/protos/collaboration/events/v1/snippet_event';
import { defineEvent } from '../event';

/** Changes of snippets of projects, in order per snippet (see the proto for the facts and the ids of events). */
export const snippetEvents = defineEvent({
  stream: 'collaboration.snippet',
  version: 1,
  type: 'snippet.changed',
  message: SnippetEvent,
  key: (event) => String(event.snippetId),
});
