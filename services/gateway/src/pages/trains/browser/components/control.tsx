import { h } from '../libs/preact.js';
import type { Control } from '../representations.ts';
import { controlOf } from '../words.ts';
import { Away, When } from './shared.tsx';

/** What the train is allowed to do, why, and until when. */
export function ControlBanner({ control, now }: { control: Control; now: number }) {
  const { kind, title, text } = controlOf(control);
  return (
    <section class={`control ${kind}`} aria-label="State of the train">
      <strong class="state">{title}</strong>
      <p>
        {control.reason !== null && kind !== 'stopped' && <q>{control.reason}</q>} {text}
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
