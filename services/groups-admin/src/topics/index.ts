export { composeTopics } from './compose';
export { assignTopics, hasTopic, hasTopicId, topicNames } from './storage/project-topics';
