import { randomBytes } from 'node:crypto';
import type { Database, PageInfo, PageRequest, Tx } from '@switchyard/database';
import { forbidden, invalid, notFound } from '@switchyard/errors';
import { displayText, displayTextProblems } from '@switchyard/texts';
import type { ProjectScope } from '../../alerts';
import { type PayloadMapping, readMapping, type WrittenMapping } from '../../payloads';
import {
  type HttpIntegration,
  hasMapping,
  type IntegrationFields,
  type IntegrationType,
  maxIntegrations,
  type StoredKey,
} from '../domain/http-integration';
import { generateKey, hintOf, type KeyDigest } from './integration-key';
import { type ReadSample, sampleProblem } from './read-sample';

/** Stores integrations. */
export interface HttpIntegrationStore {
  /** One page of a project's integrations, oldest first. */
  page(projectId: number, request: PageRequest): Promise<{ rows: HttpIntegration[]; page: PageInfo }>;
  /** One integration of a project; in a transaction it may be locked until its end. */
  find(
    projectId: number,
    id: number,
    within?: { readonly tx: Tx; readonly lock: true },
  ): Promise<HttpIntegration | undefined>;
  /** Counts the integrations of a project, and locks out other additions until the transaction ends. */
  countLocked(tx: Tx, projectId: number): Promise<number>;
  insert(
    tx: Tx,
    given: IntegrationFields & { readonly projectId: number; readonly endpointId: string; readonly key: StoredKey },
  ): Promise<HttpIntegration>;
  update(tx: Tx, id: number, fields: IntegrationFields): Promise<HttpIntegration>;
  setKey(tx: Tx, id: number, key: StoredKey): Promise<HttpIntegration>;
  /** Deletes one; `precondition_failed` when it changed after `since`. False when there is none. */
  remove(tx: Tx, projectId: number, id: number, since: Date | undefined): Promise<boolean>;
}

/** What the use cases of integrations are built from. */
export interface HttpIntegrationEdges {
  readonly db: Database;
  readonly integrations: HttpIntegrationStore;
  readonly digest: KeyDigest;
  readonly readSample: ReadSample;
}

/** A change of an integration; undefined fields stay as they are. */
export interface HttpIntegrationChange {
  readonly name?: string | undefined;
  readonly active?: boolean | undefined;
  readonly type?: IntegrationType | undefined;
  /** JSON; empty removes it. */
  readonly payloadExample?: string | undefined;
  readonly mapping?: readonly WrittenMapping[] | undefined;
}

/** An integration with its key, which is shown once. */
export interface KeyedIntegration {
  readonly integration: HttpIntegration;
  readonly key: string;
}

const none = () => notFound('HTTP integration');

/** Random bytes of an endpoint id; it is written in hex. */
const endpointBytes = 8;

const written = (mapping: readonly PayloadMapping[]): WrittenMapping[] =>
  mapping.map(({ field, path, type, label = '', fallbackPath = [] }) => ({
    field,
    path: path.map(String),
    type,
    label,
    fallbackPath: fallbackPath.map(String),
  }));

/**
 * The fields of an integration after a change. In a tier without mapping, sample and mapping stay as they are
 * (G-13-16).
 * @throws AppError invalid, with every problem
 */
function changed(
  before: IntegrationFields,
  change: HttpIntegrationChange,
  tier: string,
  readSample: ReadSample,
): IntegrationFields {
  const name = change.name === undefined ? before.name : displayText(change.name);
  const fields = { ...before, name, active: change.active ?? before.active, type: change.type ?? before.type };
  const problems: Record<string, string[]> = {};
  const ofName = change.name === undefined ? [] : displayTextProblems(change.name);
  if (ofName.length > 0) problems.name = ofName;
  if (!hasMapping(tier)) {
    if (ofName.length > 0) throw invalid(problems);
    return fields;
  }
  const payloadExample = (change.payloadExample ?? before.payloadExample) || undefined;
  const sample = payloadExample === undefined ? undefined : readSample(payloadExample);
  const ofSample = sample === undefined ? undefined : sampleProblem(sample);
  if (ofSample !== undefined) problems.payload_example = [ofSample];
  const value = sample !== undefined && 'value' in sample ? sample.value : undefined;
  const read = readMapping(change.mapping ?? written(before.mapping), value);
  if (read.problems.length > 0) problems.payload_attribute_mappings = read.problems;
  if (read.mapping.length > 0 && payloadExample === undefined) {
    problems.payload_example = ["can't be blank while fields are mapped"];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return { ...fields, payloadExample, mapping: read.mapping };
}

/** The use cases of integrations; the gateway has checked that the caller may configure them (G-4.12-17). */
export function manageHttpIntegrations({ db, integrations, digest, readSample }: HttpIntegrationEdges) {
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
      const found = await integrations.find(projectId, id);
      if (found === undefined) throw none();
      return found;
    },

    /**
     * Creates an integration with a key. Fails with `invalid`, and with `forbidden` when the project has as many as its
     * tier allows.
     */
    async create({ projectId, tier }: ProjectScope, change: HttpIntegrationChange): Promise<KeyedIntegration> {
      const blank = { type: 'HTTP', name: '', active: false, payloadExample: undefined, mapping: [] } as const;
      const fields = changed(blank, change, tier, readSample);
      const { key, stored } = newKey();
      return db.transaction(async (tx) => {
        const max = maxIntegrations(tier);
        if ((await integrations.countLocked(tx, projectId)) >= max) {
          throw forbidden(
            max === 1 ? 'Several integrations need Premium' : `A project has at most ${max} integrations`,
          );
        }
        const endpointId = randomBytes(endpointBytes).toString('hex');
        return { key, integration: await integrations.insert(tx, { ...fields, projectId, endpointId, key: stored }) };
      });
    },

    /** Changes an integration; its mapping must agree with its sample afterwards. Fails with `not_found`, `invalid`. */
    update: ({ projectId, tier }: ProjectScope, id: number, change: HttpIntegrationChange): Promise<HttpIntegration> =>
      db.transaction(async (tx) => {
        const before = await integrations.find(projectId, id, { tx, lock: true });
        if (before === undefined) throw none();
        return integrations.update(tx, id, changed(before, change, tier, readSample));
      }),

    /** Gives an integration a new key; the old one no longer works. Fails with `not_found`. */
    resetKey: ({ projectId }: ProjectScope, id: number): Promise<KeyedIntegration> =>
      db.transaction(async (tx) => {
        if ((await integrations.find(projectId, id, { tx, lock: true })) === undefined) throw none();
        const { key, stored } = newKey();
        return { key, integration: await integrations.setKey(tx, id, stored) };
      }),

    /** Deletes an integration; its alerts stay. Fails with `not_found`, `precondition_failed`. */
    remove: ({ projectId }: ProjectScope, id: number, unmodifiedSince: Date | undefined): Promise<void> =>
      db.transaction(async (tx) => {
        if (!(await integrations.remove(tx, projectId, id, unmodifiedSince))) throw none();
      }),
  };
}

/** What `manageHttpIntegrations` returns. */
export type HttpIntegrations = ReturnType<typeof manageHttpIntegrations>;
