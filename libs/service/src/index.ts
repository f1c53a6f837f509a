export type { Area, Closable, ConsumerGroup } from './area';
export { type Command, type CommandEdges, command } from './command';
export { addressVariable, type ServiceConfig, type Variables } from './configuration';
export { defineService, type Service, type ServiceDeclaration } from './define-service';
export type { Needs, PrismaClass, ReplacedEdges, ServiceEdges } from './edges';
