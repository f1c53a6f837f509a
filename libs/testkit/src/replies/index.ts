export { type ComponentValidator, componentSchemas, componentValidator } from './component-validator';
export { cycloneDxFaults } from './cyclonedx';
export { type DeclaredEndpoint, endpointFinder, type ReplyValidator, replyValidator } from './reply-validator';
