export { composeSnippets, type Snippets } from './compose';
