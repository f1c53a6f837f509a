export type { Area, Closable, ConsumerGroup } from './area';
export { type Command, type CommandEdges, command } from './command';
export { addressVariable, type ServiceConfig, type Variables } from './configuration';
export { defineService, type ServiceDeclaration } from './define-service';
export type { ReplacedEdges, ServiceEdges } from './edges';
export type { Needs, PrismaClass } from './needs';
export type { Service } from './service';
