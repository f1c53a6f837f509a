import { userReference } from '@switchyard/directory';
import { dateTime, optionalDateTime } from '../../repositories';
import type { DeploymentView } from '../domain/deployment';
import type { Environment } from '../domain/environment';

const presentEnvironmentName = ({ id, name, slug, externalUrl }: DeploymentView['environment']) => ({
  id,
  name,
  slug,
  external_url: externalUrl ?? null,
});

const presentBasic = ({ deployment, user }: DeploymentView, externalUrl: string) => ({
  id: deployment.id,
  iid: deployment.iid,
  ref: deployment.ref,
  sha: deployment.sha,
  status: deployment.status,
  created_at: dateTime(deployment.createdAt),
  updated_at: dateTime(deployment.updatedAt),
  user: user === undefined ? null : userReference(user, externalUrl),
});

/** A deployment. What an outside CI reports has no job here. */
export const presentDeployment = (view: DeploymentView, externalUrl: string) => ({
  ...presentBasic(view, externalUrl),
  environment: presentEnvironmentName(view.environment),
  deployable: null,
});

/** An environment as lists show it. */
export const presentEnvironment = (environment: Environment) => ({
  ...presentEnvironmentName(environment),
  description: environment.description ?? null,
  state: environment.state,
  tier: environment.tier,
  created_at: dateTime(environment.createdAt),
  updated_at: dateTime(environment.updatedAt),
  auto_stop_at: optionalDateTime(environment.autoStopAt),
});

/** An environment by itself, with what is on it. */
export const presentEnvironmentDetails = (
  { environment, lastDeployment }: { environment: Environment; lastDeployment: DeploymentView | undefined },
  externalUrl: string,
) => ({
  ...presentEnvironment(environment),
  last_deployment:
    lastDeployment === undefined ? null : { ...presentBasic(lastDeployment, externalUrl), deployable: null },
});

/** Environments that are deleted in a week, and those that were started again in the meantime. */
export const presentReviewApps = ({
  scheduled,
  unprocessable,
}: {
  scheduled: readonly Environment[];
  unprocessable: readonly Environment[];
}) => ({
  scheduled_entries: scheduled.map(presentEnvironmentName),
  unprocessable_entries: unprocessable.map(presentEnvironmentName),
});
