import { randomBytes } from 'node:crypto';
import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { ProjectScope } from '../../alerts';
import type { HttpIntegration, IntegrationFields, NewIntegration, StoredKey } from '../domain/http-integration';
import {
  blankIntegration,
  checkRoom,
  decideIntegration,
  type HttpIntegrationChange,
  type ReadSample,
} from '../domain/http-integration-change';
import { generateKey, hintOf, type KeyDigest } from './integration-key';

/** Integrations of projects. */
export interface HttpIntegrationStore {
  /** One page of a project's integrations, oldest first. */
  page(projectId: number, request: PageRequest): Promise<{ rows: HttpIntegration[]; page: PageInfo }>;
  /** One integration of a project. */
  find(projectId: number, id: number): Promise<HttpIntegration | undefined>;
  /** Adds what `decide` returns, or throws what it throws; it gets their number, and no other is added meanwhile. */
  add(projectId: number, decide: (count: number) => NewIntegration): Promise<HttpIntegration>;
  /** Locks an integration, decides and saves its fields; undefined when there is none. */
  change(
    projectId: number,
    id: number,
    decide: (before: HttpIntegration) => IntegrationFields,
  ): Promise<HttpIntegration | undefined>;
  /** Replaces the key; undefined when there is no such integration. */
  setKey(projectId: number, id: number, key: StoredKey): Promise<HttpIntegration | undefined>;
  /** Deletes one; `precondition_failed` when it changed after `since`. False when there is none. */
  remove(projectId: number, id: number, since: Date | undefined): Promise<boolean>;
}

/** What the use cases of integrations are built from. */
export interface HttpIntegrationEdges {
  readonly integrations: HttpIntegrationStore;
  readonly digest: KeyDigest;
  readonly readSample: ReadSample;
}

/** An integration with its key, which is shown once. */
export interface KeyedIntegration {
  readonly integration: HttpIntegration;
  readonly key: string;
}

const none = () => notFound('HTTP integration');

function found(integration: HttpIntegration | undefined): HttpIntegration {
  if (integration === undefined) throw none();
  return integration;
}

/** Random bytes of an endpoint id; it is written in hex. */
const endpointBytes = 8;

/** The use cases of alert integrations; the gateway has checked that the caller may configure them (G-4.12-17). */
export function manageHttpIntegrations({ integrations, digest, readSample }: HttpIntegrationEdges) {
  const newKey = () => {
    const key = generateKey();
    return { key, stored: { digest: digest(key), hint: hintOf(key) } };
  };

  return {
    /** Integrations of a project, oldest first. */
    list: ({ projectId }: ProjectScope, request: PageRequest): Promise<{ rows: HttpIntegration[]; page: PageInfo }> =>
      integrations.page(projectId, request),

    /** One integration. Fails with `not_found`. */
    async get({ projectId }: ProjectScope, id: number): Promise<HttpIntegration> {
      return found(await integrations.find(projectId, id));
    },

    /**
     * Creates an integration with a key. Fails with `invalid`, and with `forbidden` when the project has as many as its
     * tier allows.
     */
    async create({ projectId, tier }: ProjectScope, change: HttpIntegrationChange): Promise<KeyedIntegration> {
      const fields = decideIntegration(blankIntegration, change, tier, readSample);
      const { key, stored } = newKey();
      const integration = await integrations.add(projectId, (count) => {
        checkRoom(count, tier);
        return { fields, endpointId: randomBytes(endpointBytes).toString('hex'), key: stored };
      });
      return { key, integration };
    },

    /** Changes an integration; its mapping must agree with its sample afterwards. Fails with `not_found`, `invalid`. */
    async update(
      { projectId, tier }: ProjectScope,
      id: number,
      change: HttpIntegrationChange,
    ): Promise<HttpIntegration> {
      const decide = (before: HttpIntegration) => decideIntegration(before, change, tier, readSample);
      return found(await integrations.change(projectId, id, decide));
    },

    /** Gives an integration a new key; the old one no longer works. Fails with `not_found`. */
    async resetKey({ projectId }: ProjectScope, id: number): Promise<KeyedIntegration> {
      const { key, stored } = newKey();
      return { key, integration: found(await integrations.setKey(projectId, id, stored)) };
    },

    /** Deletes an integration; its alerts stay. Fails with `not_found`, `precondition_failed`. */
    async remove({ projectId }: ProjectScope, id: number, unmodifiedSince: Date | undefined): Promise<void> {
      if (!(await integrations.remove(projectId, id, unmodifiedSince))) throw none();
    },
  };
}

/** What `manageHttpIntegrations` returns. */
export type HttpIntegrations = ReturnType<typeof manageHttpIntegrations>;
