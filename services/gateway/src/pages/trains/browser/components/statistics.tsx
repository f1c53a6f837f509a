import { Component, Fragment, h } from '../libs/preact.js';
import type { NamedCount, Statistics } from '../representations.ts';
import { axisDuration, duration, figuresOf } from '../words.ts';
import { Plot, type Series } from './plot.tsx';
import { Day } from './shared.tsx';

/** Seconds between two marks of an axis of time. */
const timeSteps = [60, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 172_800, 604_800];

const Counts = ({ title, counts }: { title: string; counts: readonly NamedCount[] }) =>
  counts.length === 0 ? null : (
    <div>
      <h3>{title}</h3>
      <ul class="counts">
        {counts.map(({ name, count }) => (
          <li key={name}>
            <span>{name}</span> <strong>{count}</strong>
          </li>
        ))}
      </ul>
    </div>
  );

const Days = ({ statistics }: { statistics: Statistics }) => (
  <details class="days">
    <summary>The days as a table</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <section class="scrolls" tabIndex={0} aria-label="The days as a table">
      <table>
        <thead>
          <tr>
            {['Day', 'Landed', 'Removed', 'Builds', 'Median time', '95 % are faster than'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {statistics.days.map((day) => (
            <tr key={day.date}>
              <th scope="row">
                <time dateTime={day.date}>{day.date}</time>
              </th>
              <td>{day.landings}</td>
              <td>{day.removals}</td>
              <td>{day.builds}</td>
              <td>{day.turnaround_p50 === null ? '–' : duration(day.turnaround_p50)}</td>
              <td>{day.turnaround_p95 === null ? '–' : duration(day.turnaround_p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </details>
);

/** What the train did in the last weeks. Drawn anew only when the figures are: views come often. */
export class Figures extends Component<{ statistics: Statistics }> {
  override shouldComponentUpdate({ statistics }: { statistics: Statistics }): boolean {
    return statistics !== this.props.statistics;
  }

  override render() {
    const { statistics } = this.props;
    const dates = statistics.days.map(({ date }) => date);
    const throughput: Series[] = [
      { name: 'Landed', colour: 'first', values: statistics.days.map(({ landings }) => landings) },
    ];
    const turnaround: Series[] = [
      { name: 'Median', colour: 'first', values: statistics.days.map((day) => day.turnaround_p50) },
      { name: '95th percentile', colour: 'second', values: statistics.days.map((day) => day.turnaround_p95) },
    ];
    return (
      <section aria-labelledby="figures">
        <h2 id="figures">
          The last weeks{' '}
          <span class="by">
            <Day date={statistics.after} /> to <Day date={statistics.before} />
          </span>
        </h2>
        <dl class="figures">
          {figuresOf(statistics).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {statistics.landings > 0 && (
          <Fragment>
            <div class="plots">
              <figure>
                <figcaption>Landed per day</figcaption>
                <Plot
                  dates={dates}
                  series={throughput}
                  as="bars"
                  write={String}
                  steps={[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]}
                />
              </figure>
              <figure>
                <figcaption>Time in the train</figcaption>
                <Plot
                  dates={dates}
                  series={turnaround}
                  as="lines"
                  write={duration}
                  writeAxis={axisDuration}
                  steps={timeSteps}
                />
              </figure>
            </div>
            <Days statistics={statistics} />
          </Fragment>
        )}
        <div class="names">
          <Counts title="Failures by status" counts={statistics.failures} />
          <Counts title="Flakes by status" counts={statistics.flakes} />
        </div>
      </section>
    );
  }
}
