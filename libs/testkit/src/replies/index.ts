export { type ComponentValidator, componentSchemas, componentValidator } from './component-validator';
export { type DeclaredEndpoint, endpointFinder, type ReplyValidator, replyValidator } from './reply-validator';
