import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import type { transition } from '../../src/merge-trains/domain/transition';

const domain = join(__dirname, '../../src/merge-trains/domain');
const files = ['merge-train', 'merge-train-chain', 'batch-size', 'breaker', 'transition'] as const;

/** The machine with one rule taken out. */
export interface Mutant {
  readonly rule: string;
  readonly file: (typeof files)[number];
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** What an oracle finds. */
  readonly found: RegExp;
}

/** The machine, compiled anew with a change of its source text. */
export function mutated({ rule, file, from, to }: Mutant): typeof transition {
  const loaded = new Map<string, Record<string, unknown>>();
  const load = (name: string): Record<string, unknown> => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const exports: Record<string, unknown> = {};
    loaded.set(name, exports);
    const text = readFileSync(join(domain, `${name}.ts`), 'utf8');
    if (name === file && text.split(from).length !== 2) throw new Error(`"${rule}": ${file} has not one "${from}"`);
    const { code } = transformSync(name === file ? text.replace(from, () => to) : text, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
      module: { type: 'commonjs' },
    });
    const required = (path: string) => load(path.replace('./', ''));
    new Function('exports', 'require', code)(exports, required);
    return exports;
  };
  return load('transition').transition as typeof transition;
}

export const mutants: readonly Mutant[] = [
  {
    rule: 'a car is blamed on what has landed alone',
    file: 'transition',
    from: 'if (build?.onto !== train.base || awaitsRerun(train, car)) return undefined;',
    to: 'if (build === undefined || awaitsRerun(train, car)) return undefined;',
    found: /which holds an unlanded car/,
  },
  {
    rule: 'a conflict is blamed on what has landed alone',
    file: 'transition',
    from: 'return held.onto === train.base ? held.reason : undefined;',
    to: 'return held.reason;',
    found: /which holds an unlanded car/,
  },
  {
    rule: 'a failure is tested again before it is blamed',
    file: 'merge-train-chain',
    from: 'build.reruns < train.retries;',
    to: 'build.reruns < train.retries - 1;',
    found: /and is to be tested \d times again/,
  },
  {
    rule: 'a batch lands whole',
    file: 'transition',
    from: 'carIds: head.map(({ id }) => id), from: train.base as string, to: tip.sha }',
    to: 'carIds: head.slice(0, 1).map(({ id }) => id), from: train.base as string, to: tip.sha }',
    found: /are to land of|changes what it is not about|"kind":"land".* is still due/,
  },
  {
    rule: 'what a batch leaves behind is tested by itself',
    file: 'merge-train-chain',
    from: 'left.map(withoutPipeline) : left',
    to: 'left : left',
    found: /pipeline \d+ tests \d+(,\d+)+, and is shown by/,
  },
  {
    rule: 'a car that is put first out of a batch is tested by itself',
    file: 'merge-train-chain',
    from: 'isBatch ? withoutPipeline(car) : car',
    to: 'car',
    found: /pipeline \d+ tests \d+(,\d+)+, and is shown by/,
  },
  {
    rule: 'nothing lands while the train is paused',
    file: 'transition',
    from: "    train.state !== 'paused' &&\n    position < head.length",
    to: '    position < head.length',
    found: /a paused train moves by {"kind":"landing_begun"/,
  },
  {
    rule: 'nothing is due while the train is paused',
    file: 'transition',
    from: "if (train.state === 'paused' || head === undefined) return steps;",
    to: 'if (head === undefined) return steps;',
    found: /a paused train is to {"kind":"(land|build)"/,
  },
  {
    rule: 'nothing is built while the train is paused',
    file: 'transition',
    from: "|| wanted !== signal.onto || train.state === 'paused') return",
    to: '|| wanted !== signal.onto) return',
    found: /a paused train moves by {"kind":"built"/,
  },
  {
    rule: 'no pipeline is opened while the train is paused',
    file: 'merge-train-chain',
    from: "if (train.state === 'paused' || train.base === undefined) return { train, steps };",
    to: 'if (train.base === undefined) return { train, steps };',
    found: /a paused train is to {"kind":"open_pipeline"/,
  },
  {
    rule: 'nobody is blamed while the train is paused',
    file: 'transition',
    from: "if (status === 'merging' || train.state === 'paused' || train.base === undefined) return undefined;",
    to: "if (status === 'merging' || train.base === undefined) return undefined;",
    found: /a paused train blames/,
  },
  {
    rule: 'a train that stops starts nothing',
    file: 'transition',
    from: 'const ordered = stops',
    to: 'const ordered = stops && names.length > 5',
    found: /a paused train is to|the train is running and said paused/,
  },
  {
    rule: 'cars are built past the one that fails',
    file: 'merge-train-chain',
    from: 'return { group: next, tip: isFailing(next) ? tip : onto };',
    to: 'return { group: next, tip: onto };',
    found: /is built on \d+, which fails/,
  },
  {
    rule: 'whoever is put first stands behind what is being merged',
    file: 'transition',
    from: "first ? others.filter(({ status }) => status === 'merging').length : others.length",
    to: 'first ? 0 : others.length',
    found: /is added at 1 and belongs at|is merged before its turn/,
  },
  {
    rule: 'a car keeps its place',
    file: 'transition',
    from: "if (aboard?.status === 'merging' || (aboard !== undefined && !first)) return unchanged(train);",
    to: "if (aboard?.status === 'merging') return unchanged(train);",
    found: /loses its place/,
  },
  {
    rule: 'superseded pipelines are cancelled',
    file: 'merge-train-chain',
    from: "steps: [...dropped.map((pipelineId) => ({ kind: 'cancel_pipeline' as const, pipelineId })), ...open.steps]",
    to: 'steps: open.steps',
    found: /is superseded and runs on/,
  },
  {
    rule: 'the train stops itself',
    file: 'breaker',
    from: '.size >= breakerLimit',
    to: '.size > breakerLimit',
    found: /left in a row for/,
  },
  {
    rule: 'three different merge requests stop a train',
    file: 'breaker',
    from: 'return new Set(row.slice(end + 1).map(({ mergeRequestId }) => mergeRequestId)).size >= breakerLimit;',
    to: 'return row.length - end > breakerLimit;',
    found: /the train stops for \w+, which failed for \d/,
  },
  {
    rule: 'a train that has stopped itself tests the target branch',
    file: 'transition',
    from: 'if (base === undefined || probe?.sha === base) return { train, steps: [] };',
    to: 'return { train, steps: [] };',
    found: /rounds of the CI the train still has cars|Cannot read|is still due/,
  },
  {
    rule: 'a probe that fails does not start the train',
    file: 'transition',
    from: "if (verdict === 'green') return controlled(train, train.resumesAs);",
    to: "if (verdict !== 'pending') return controlled(train, train.resumesAs);",
    found: /the train goes on by itself/,
  },
  {
    rule: 'no more pipelines run than the window holds',
    file: 'merge-train-chain',
    from: 'if (free <= 0 || !lacksPipeline',
    to: 'if (free < 0 || !lacksPipeline',
    found: /\d pipelines run/,
  },
  {
    rule: 'a failed batch is taken apart',
    file: 'merge-train-chain',
    from: "return verdict === 'canceled' || group[0]?.build?.onto === train.base;",
    to: "return verdict === 'canceled';",
    found: /rounds of the CI the train still has cars/,
  },
  {
    rule: 'a batch that is planned again takes no strangers',
    file: 'batch-size',
    from: 'new Set([first.id, ...',
    to: 'new Set([...',
    found: /are more than are to be tested together|is to land and is not green|and is shown by/,
  },
  {
    rule: 'the newest report decides',
    file: 'transition',
    from: "if (build.verdict === 'late') return unchanged(train);",
    to: "if (build.verdict === 'late' || build.verdict === 'green') return unchanged(train);",
    found: /is to land and is not green|is still due/,
  },
  {
    rule: 'what is being merged is not removed',
    file: 'transition',
    from: "const reason = car.status === 'merging' ? undefined : reasonOf(car);",
    to: 'const reason = reasonOf(car);',
    found: /changes what it is not about|is reachable, car \d+ is not merged/,
  },
  {
    rule: 'a landing that failed has the target branch read again',
    file: 'transition',
    from: 'return outcome(train, { ...again, base: undefined });',
    to: 'return outcome(train, again);',
    found: /the train still has cars|is still due/,
  },
];
