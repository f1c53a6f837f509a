import { Fragment, h } from '../libs/preact.js';
import type { Entry, TrainView } from '../representations.ts';
import { expected, type Standing, standingOf } from '../words.ts';
import { Away, Commit, When } from './shared.tsx';

/** A sign beside the word of each standing: colour alone says nothing to some. */
const signs: Readonly<Record<Standing['kind'], string>> = {
  landing: '▶',
  passed: '✓',
  testing: '◔',
  building: '⚙',
  waiting: '·',
  failing: '✕',
  held: '‖',
};

/** The queue at a glance: one mark per car. The table says the same in words. */
export const Track = ({ entries }: { entries: readonly Entry[] }) => (
  <ol class="track" aria-hidden="true">
    {entries.map((entry) => {
      const { kind, word } = standingOf(entry);
      return (
        <li key={entry.id} class={`mark ${kind}`} title={`!${entry.merge_request.iid} ${word}`}>
          {signs[kind]}
        </li>
      );
    })}
  </ol>
);

const columns = ['Place', 'Merge request', 'State', 'Commit', 'Pipeline', 'Expected'] as const;

/** The place in a batch: first, middle or last of those that are tested together. */
function placeInBatch({ batch, merge_request }: Entry): string {
  if (batch === null || batch === undefined || batch.size < 2) return '';
  const at = batch.merge_request_iids.indexOf(merge_request.iid);
  return at === 0 ? 'batch first' : at === batch.size - 1 ? 'batch last' : 'batch';
}

function Car({ entry, at, now }: { entry: Entry; at: number; now: number }) {
  const { kind, word, detail } = standingOf(entry);
  const { batch, merge_request: mr, pipeline } = entry;
  return (
    <tr role="row" class={`car ${kind} ${placeInBatch(entry)}`}>
      <td role="cell" class="place">
        {entry.position ?? at + 1}
      </td>
      <th role="rowheader" scope="row" class="request">
        <Away to={mr.web_url}>{mr.title}</Away>
        <span class="by">
          !{mr.iid}
          {entry.user !== null && <Fragment> · added by @{entry.user.username}</Fragment>}{' '}
          <When at={entry.created_at} now={now} />
        </span>
      </th>
      <td role="cell" class="standing" data-label="State">
        <span class={`badge ${kind}`}>
          <span aria-hidden="true">{signs[kind]}</span> {word}
        </span>
        {detail !== '' && <span class="detail">{detail}</span>}
        {batch !== null && batch !== undefined && batch.size > 1 && (
          <span class="detail">
            tested together with{' '}
            {batch.merge_request_iids
              .filter((iid) => iid !== mr.iid)
              .map((iid) => `!${iid}`)
              .join(', ')}
          </span>
        )}
      </td>
      <td role="cell" class="commit" data-label="Commit">
        <Commit sha={entry.tested_sha ?? pipeline?.sha} />
      </td>
      <td role="cell" class="pipeline" data-label="Pipeline">
        {pipeline === null ? (
          <span class="none">–</span>
        ) : (
          <Fragment>
            <Away to={pipeline.web_url}>#{pipeline.id}</Away> <span class="detail">{pipeline.status}</span>
          </Fragment>
        )}
      </td>
      <td role="cell" class="expected" data-label="Expected">
        {entry.expected_at === null || entry.expected_at === undefined ? (
          <span class="none">–</span>
        ) : (
          <When at={entry.expected_at} now={now} words={expected} />
        )}
      </td>
    </tr>
  );
}

/** The cars in the order of the queue. Roles are written out: on a phone the rows are no table to the style sheet. */
export function Cars({ view, now }: { view: TrainView; now: number }) {
  const { entries, total } = view;
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">
        In the train <span class="count">{total}</span>
      </h2>
      {entries.length === 0 ? (
        <p class="empty">The train is empty. Add a merge request to it, and it appears here.</p>
      ) : (
        <Fragment>
          <Track entries={entries} />
          <table role="table" class="cars" aria-labelledby="queue">
            <thead role="rowgroup">
              <tr role="row">
                {columns.map((name) => (
                  <th key={name} role="columnheader" scope="col" class={name.toLowerCase().replace(' ', '-')}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {entries.map((entry, at) => (
                <Car key={entry.id} entry={entry} at={at} now={now} />
              ))}
            </tbody>
          </table>
          {total > entries.length && <p class="empty">And {total - entries.length} more behind them.</p>}
        </Fragment>
      )}
    </section>
  );
}
