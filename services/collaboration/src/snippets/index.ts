export { composeSnippets, type Snippets } from './compose';
export { archivedSnippet } from './domain/snippet-row';
export { snippetsByOrigin } from './storage/snippet-origin';
