export { markdownRenderer, type RenderMarkdown, renderTitle } from './render-markdown';
