export { answerQuestions } from './answer-questions';
export { inThreads, type ThreadLimits, ThreadOverrun } from './in-threads';
