import type { PageRequest } from '@switchyard/database';
import { everyEnvironment } from '../domain/variable';
import {
  allowedScope,
  decideCreate,
  decideUpdate,
  toNewVariable,
  type VariableContent,
  variableNotFound,
} from '../domain/variable-change';
import type { ResolveQuery, ShownVariable, VariableChange, VariableKey, VariableParent } from '../domain/variable-row';
import type { VariableStore } from './variable.ports';

/** CI variables of groups, projects and the instance (api.md 4.3). `isFree`: the parent has the Free tier. */
export const manageVariables = ({ variables }: { variables: VariableStore }) => ({
  /** A page of variables by id. @throws AppError internal when values cannot be decrypted */
  list: (parent: VariableParent, request: PageRequest) => variables.list(parent, request),

  /** @throws AppError not_found; conflict when several scopes have the key; internal when the value cannot be decrypted */
  async get(parent: VariableParent, key: VariableKey): Promise<ShownVariable> {
    const variable = await variables.find(parent, key);
    if (variable === undefined) throw variableNotFound(parent);
    return variable;
  },

  /** @throws AppError invalid; not_found when the parent was purged */
  create(
    parent: VariableParent,
    content: Omit<VariableContent, 'environmentScope'> & { readonly environmentScope: string | undefined },
    isFree: boolean,
  ): Promise<ShownVariable> {
    const environmentScope = allowedScope(parent, isFree, content.environmentScope) ?? everyEnvironment;
    const variable = toNewVariable({ ...content, environmentScope });
    return variables.create(parent, variable, (facts) => decideCreate(variable, parent, facts));
  },

  /** @throws AppError invalid; not_found */
  async update(
    parent: VariableParent,
    key: VariableKey,
    given: VariableChange,
    isFree: boolean,
  ): Promise<ShownVariable> {
    const change = { ...given, environmentScope: allowedScope(parent, isFree, given.environmentScope) };
    const { environmentScope } = change;
    const saved = await variables.change({ parent, key, orOldest: true, environmentScope }, (variable, isTaken) =>
      decideUpdate(variable, change, isTaken),
    );
    if (saved?.variable === undefined) throw variableNotFound(parent);
    return saved.variable;
  },

  /** @throws AppError not_found; conflict when several scopes have the key; precondition_failed */
  async remove(parent: VariableParent, key: VariableKey, unmodifiedSince?: Date): Promise<void> {
    const removed = await variables.change({ parent, key, unmodifiedSince }, () => undefined);
    if (removed === undefined) throw variableNotFound(parent);
  },

  /** What a pipeline gets: see `VariableService.ResolveVariables`. @throws AppError too_large */
  resolve: (query: ResolveQuery) => variables.resolve(query),
});

/** Use cases of variables. */
export type ManageVariables = ReturnType<typeof manageVariables>;
