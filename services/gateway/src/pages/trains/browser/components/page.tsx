import { pageOf } from '../address.ts';
import type { Liveness } from '../follow-train.ts';
import { Fragment, h } from '../libs/preact.js';
import type { Project, Statistics, TrainView } from '../representations.ts';
import type { TrainSummary } from '../train-summaries.ts';
import { Cars } from './cars.tsx';
import { ControlBanner } from './control.tsx';
import { Departures } from './departures.tsx';
import { Figures } from './statistics.tsx';
import { TokenForm } from './token-form.tsx';
import { TrainList } from './train-list.tsx';

/** All that is shown. */
export interface PageState {
  readonly base: string;
  readonly now: number;
  readonly hasToken: boolean;
  /** Why nothing is shown, or why the token is asked for again; empty without a problem. */
  readonly problem: string;
  /** Whether the problem can pass by itself, or by a change of rights. */
  readonly canRetry: boolean;
  readonly project: Project | undefined;
  readonly branch: string | undefined;
  readonly trains: readonly TrainSummary[] | undefined;
  readonly view: TrainView | undefined;
  readonly liveness: Liveness;
  /** When the view came, milliseconds since 1970. */
  readonly viewedAt: number;
  readonly statistics: Statistics | undefined;
  /** The text that a screen reader is notified of. */
  readonly news: string;
}

/** What can be done. */
export interface PageActions {
  readonly onToken: (token: string) => void;
  readonly onForget: () => void;
  readonly onRetry: () => void;
}

function Live({ state: { liveness, now, view, viewedAt }, onRetry }: { state: PageState; onRetry: () => void }) {
  if (liveness.kind === 'live')
    return (
      <p class="live on">
        <span class="dot" aria-hidden="true" /> Live
      </p>
    );
  const seconds = liveness.kind === 'waiting' ? Math.max(0, Math.ceil((liveness.retryAt - now) / 1_000)) : 0;
  return (
    <p class="live off">
      <span class="dot" aria-hidden="true" />{' '}
      {view === undefined ? (
        'Connecting…'
      ) : (
        <Fragment>
          Not live: as of{' '}
          <time dateTime={new Date(viewedAt).toISOString()}>{new Date(viewedAt).toLocaleTimeString()}</time>
        </Fragment>
      )}
      {liveness.kind === 'waiting' && (
        <Fragment>
          {' '}
          · next try in {seconds} s{' '}
          <button type="button" class="plain" onClick={onRetry}>
            Try now
          </button>
        </Fragment>
      )}
    </p>
  );
}

const Train = ({ state, view }: { state: PageState; view: TrainView }) => (
  <div class={state.liveness.kind === 'live' ? 'train' : 'train stale'}>
    <ControlBanner control={view.control} now={state.now} />
    <Cars view={view} now={state.now} />
    <Departures departures={view.departures} now={state.now} />
    {state.statistics !== undefined && <Figures statistics={state.statistics} />}
  </div>
);

function Content({ state, actions }: { state: PageState; actions: PageActions }) {
  const { base, project, trains, view } = state;
  if (!state.hasToken) return <TokenForm problem={state.problem} onToken={actions.onToken} />;
  if (state.problem !== '')
    return (
      <div class="problem">
        <p role="alert">{state.problem}</p>
        {state.canRetry && (
          <button type="button" onClick={actions.onRetry}>
            Try again
          </button>
        )}
      </div>
    );
  if (project !== undefined && trains !== undefined)
    return <TrainList base={base} project={project} trains={trains} now={state.now} />;
  return view === undefined ? <p class="empty">Loading…</p> : <Train state={state} view={view} />;
}

function Title({ base, project, branch }: PageState) {
  if (project === undefined) return <h1>Merge trains</h1>;
  const path = project.path_with_namespace;
  return (
    <div class="where">
      <nav aria-label="Breadcrumb">
        {branch === undefined ? <span>Merge trains</span> : <a href={pageOf(base, path)}>{path}</a>}
      </nav>
      <h1>{branch ?? path}</h1>
    </div>
  );
}

/** The page. */
export const Page = ({ state, actions }: { state: PageState; actions: PageActions }) => (
  <Fragment>
    <a class="skip" href="#main">
      Skip to the train
    </a>
    <header>
      <Title {...state} />
      <div class="tools">
        {state.hasToken && state.trains === undefined && state.problem === '' && (
          <Live state={state} onRetry={actions.onRetry} />
        )}
        {state.hasToken && (
          <button type="button" class="plain" onClick={actions.onForget}>
            Forget the token
          </button>
        )}
      </div>
    </header>
    <main id="main" tabIndex={-1}>
      <Content state={state} actions={actions} />
    </main>
    <p class="aloud" role="status" aria-live="polite">
      {/* An empty text would be written anew each time. */}
      {state.news === '' ? null : state.news}
    </p>
  </Fragment>
);
