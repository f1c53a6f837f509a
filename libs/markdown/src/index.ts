export { inlineRenderer, markdownRenderer, type RenderMarkdown, renderTitle } from './render-markdown';
