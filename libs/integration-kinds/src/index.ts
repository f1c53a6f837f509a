export { type Field, type IntegrationKind, type SwitchName, switchNames, type TextField } from './kind';
export { integrationKind, integrationKinds, isSwitchedOn, parametersOf, switchAliases } from './kinds';
export { kindSchemas, kindTable } from './reference';
