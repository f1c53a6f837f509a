import { invalidParams } from '@switchyard/errors';
import { SuggestionServiceService } from '@switchyard/protos/collaboration/v1/suggestion';
import { entity, implement, type ServiceImplementation, signedIn } from '@switchyard/rpc';
import type { applySuggestions, locateSuggestions } from '../application/suggestions';
import { maxApplied } from '../domain/suggestion';
import { presentSuggestion } from '../presenters/suggestion.presenter';

/** Use cases behind the service. */
export interface SuggestionUseCases {
  readonly locateSuggestions: ReturnType<typeof locateSuggestions>;
  readonly applySuggestions: ReturnType<typeof applySuggestions>;
}

function checkIds(ids: readonly number[]): void {
  if (ids.length === 0) throw invalidParams('ids is empty');
  if (ids.length > maxApplied) throw invalidParams(`ids has too many values (maximum is ${maxApplied})`);
}

/** Serves `SuggestionService`. */
export const suggestionHandler = (suggestions: SuggestionUseCases): ServiceImplementation =>
  implement(SuggestionServiceService, {
    locateSuggestions: async ({ ids }) => {
      checkIds(ids);
      return suggestions.locateSuggestions(ids);
    },
    applySuggestions: async ({ projectId, ids, commitMessage, asList }, context) => {
      checkIds(ids);
      const { noteable, rows } = await suggestions.applySuggestions(signedIn(context), projectId, ids, commitMessage);
      const shown = rows.map((row) => presentSuggestion(row, row.position, noteable));
      return entity(asList ? shown : shown[0]);
    },
  });
