import { h } from '../libs/preact.js';
import type { Control } from '../representations.ts';
import { Away, When } from './shared.tsx';

const texts = {
  running: { title: 'Running', text: 'Cars are tested and land in their order.' },
  paused: { title: 'Paused', text: 'Nothing lands. Cars keep their places, and new ones can be added.' },
  draining: { title: 'Draining', text: 'Cars in the train land. No new one is added.' },
} as const;

const stopped = {
  title: 'Stopped: the target branch fails',
  text: 'The same status failed for cars in a row, so no car is blamed. The train goes on once the branch itself passes.',
};

/** What the train is allowed to do, why, and until when. */
export function ControlBanner({ control, now }: { control: Control; now: number }) {
  const isStopped = control.state === 'paused' && control.reason === 'target_failing';
  const { title, text } = isStopped ? stopped : texts[control.state];
  return (
    <section class={`control ${isStopped ? 'stopped' : control.state}`} aria-label="State of the train">
      <strong class="state">{title}</strong>
      <p>
        {control.reason !== null && !isStopped && <q>{control.reason}</q>} {text}
        {control.updated_by !== null && control.state !== 'running' && <span> By @{control.updated_by.username}.</span>}
        {control.updated_at !== null && control.state !== 'running' && (
          <span>
            {' '}
            Since <When at={control.updated_at} now={now} />.
          </span>
        )}
        {control.until !== null && (
          <span>
            {' '}
            Runs again <When at={control.until} now={now} />.
          </span>
        )}
        {control.probe !== null && (
          <span>
            {' '}
            Probe: <Away to={control.probe.web_url}>pipeline #{control.probe.id}</Away> is {control.probe.status}.
          </span>
        )}
      </p>
    </section>
  );
}
