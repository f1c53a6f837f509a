import type { ShownVariable } from '../domain/variable-row';

/** A variable of the instance: it is for every environment and never hidden. */
export const presentInstanceVariable = ({ key, value, variableType, ...variable }: ShownVariable) => ({
  variable_type: variableType,
  key,
  value: value ?? null,
  protected: variable.protected,
  masked: variable.masked,
  raw: variable.raw,
  description: variable.description ?? null,
});

/** A variable of a group or project (api.md 2); the value of a hidden one is null (G-2-24). */
export const presentVariable = (variable: ShownVariable) => ({
  ...presentInstanceVariable(variable),
  hidden: variable.hidden,
  environment_scope: variable.environmentScope,
});
