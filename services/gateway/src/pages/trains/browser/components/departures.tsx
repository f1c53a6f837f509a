import { h } from '../libs/preact.js';
import type { Departure, Evidence } from '../representations.ts';
import { reasonOf } from '../words.ts';
import { Away, Commit, When } from './shared.tsx';

const EvidenceOf = ({ evidence }: { evidence: Evidence }) => (
  <details class="evidence">
    <summary>Evidence</summary>
    <dl>
      <dt>Tested commit</dt>
      <dd>
        <Commit sha={evidence.tested_sha} />
      </dd>
      <dt>On top of</dt>
      <dd>
        <Commit sha={evidence.base_sha} />, all of which had landed
      </dd>
      {evidence.pipeline !== null && <dt>Pipeline</dt>}
      {evidence.pipeline !== null && <dd>#{evidence.pipeline.id}</dd>}
      {evidence.statuses.length > 0 && <dt>Failed</dt>}
      {evidence.statuses.map(({ name, target_url }) => (
        <dd key={name}>
          <Away to={target_url}>{name}</Away>
        </dd>
      ))}
      <dt>Tested again</dt>
      <dd>{evidence.reruns === 0 ? 'no' : evidence.reruns === 1 ? 'once' : `${evidence.reruns} times`}</dd>
    </dl>
  </details>
);

/** What landed or was removed last, and why. */
export const Departures = ({ departures, now }: { departures: readonly Departure[]; now: number }) => (
  <section aria-labelledby="left">
    <h2 id="left">Landed and removed</h2>
    {departures.length === 0 ? (
      <p class="empty">No merge request has landed or been removed yet.</p>
    ) : (
      <ol class="departures">
        {departures.map((one) => (
          <li key={`${one.merge_request_iid} ${one.at}`} class={one.reason === 'merged' ? 'landed' : 'removed'}>
            <span class="sign" aria-hidden="true">
              {one.reason === 'merged' ? '✓' : '✕'}
            </span>
            <div>
              <span class="title">{one.title}</span> <span class="by">!{one.merge_request_iid}</span>
              <p>
                <strong>{reasonOf(one.reason)}</strong> <When at={one.at} now={now} />
                {one.sha !== null && (
                  <span>
                    {' '}
                    · <Commit sha={one.sha} />
                  </span>
                )}
              </p>
              {one.evidence !== null && <EvidenceOf evidence={one.evidence} />}
            </div>
          </li>
        ))}
      </ol>
    )}
  </section>
);
