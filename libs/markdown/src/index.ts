export {
  inlineRenderer,
  markdownRenderer,
  projectMarkdownRenderer,
  type RenderMarkdown,
  type RenderProjectMarkdown,
  renderTitle,
} from './render-markdown';
