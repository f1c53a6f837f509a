import { Component, createRef, h } from '../libs/preact.js';
import uPlot from '../libs/uplot.js';

/** One line or row of bars over the days. */
export interface Series {
  readonly name: string;
  /** Name of its colour in the style sheet: `--plot-<colour>`. */
  readonly colour: 'first' | 'second';
  readonly values: readonly (number | null)[];
}

interface PlotProps {
  readonly dates: readonly string[];
  readonly series: readonly Series[];
  readonly as: 'bars' | 'lines';
  /** A value in words. */
  readonly write: (value: number) => string;
  /** The same at the axis, where it is to be short. */
  readonly writeAxis?: (value: number) => string;
  /** Distances between two marks of the axis that may be chosen. */
  readonly steps: readonly number[];
}

const height = 200;
const halfDay = 43_200;

/** A plot over days. It is hidden from screen readers: the table beside it says the same. */
export class Plot extends Component<PlotProps> {
  private readonly root = createRef<HTMLDivElement>();
  private plot: uPlot | undefined;
  private sizes: ResizeObserver | undefined;
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');
  private readonly redraw = (): void => this.draw();

  override componentDidMount(): void {
    this.draw();
    this.dark.addEventListener('change', this.redraw);
    const root = this.root.current;
    if (root === null) return;
    this.sizes = new ResizeObserver(() => this.plot?.setSize({ width: root.clientWidth, height }));
    this.sizes.observe(root);
  }

  override componentDidUpdate(before: PlotProps): void {
    if (before.dates !== this.props.dates || before.series !== this.props.series) this.draw();
  }

  override componentWillUnmount(): void {
    this.dark.removeEventListener('change', this.redraw);
    this.sizes?.disconnect();
    this.plot?.destroy();
  }

  private draw(): void {
    const root = this.root.current;
    if (root === null) return;
    this.plot?.destroy();
    const { dates, series, as, write, writeAxis = write, steps } = this.props;
    const style = getComputedStyle(root);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: colour('muted'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    };
    const bars = uPlot.paths.bars?.({ size: [0.7, 24], radius: 0.15 });
    this.plot = new uPlot(
      {
        width: root.clientWidth,
        height,
        cursor: { points: { size: 6 }, drag: { x: false, y: false } },
        legend: { live: true },
        scales: {
          // Half a day on both sides: a bar stands on the middle of its day.
          x: { time: true, range: (_plot, min, max) => [min - halfDay, max + halfDay] },
          y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
        },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
        axes: [
          { ...axis, size: 28, grid: { show: false }, values: '{D} {MMM}' },
          {
            ...axis,
            size: 56,
            incrs: [...steps],
            values: (_plot, splits) => splits.map((one) => (one === null ? '' : writeAxis(one))),
          },
        ],
        series: [
          { label: 'Day', value: '{D} {MMM}' },
          ...series.map((one) => ({
            label: one.name,
            stroke: colour(`plot-${one.colour}`),
            width: as === 'lines' ? 2 : 0,
            spanGaps: true,
            points: { show: as === 'lines', size: 5 },
            value: (_plot: uPlot, value: number | null) => (value === null ? '–' : write(value)),
            ...(as === 'bars'
              ? { fill: colour(`plot-${one.colour}`), ...(bars === undefined ? {} : { paths: bars }) }
              : {}),
          })),
        ],
      },
      [dates.map((date) => Date.parse(`${date}T00:00:00Z`) / 1_000), ...series.map(({ values }) => [...values])],
      root,
    );
  }

  override render() {
    return <div class="plot" ref={this.root} aria-hidden="true" />;
  }
}
