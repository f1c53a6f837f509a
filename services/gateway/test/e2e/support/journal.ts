import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import type { Fixture, WorkingCopy } from './fixture';
import type { Random } from './random';

/** What a writer is about to do. */
type Intent =
  | { readonly does: 'label' | 'milestone'; readonly key: string }
  | { readonly does: 'push'; readonly key: string; readonly sha: string }
  | { readonly does: 'open'; readonly key: string }
  | { readonly does: 'issue'; readonly key: string }
  | { readonly does: 'note'; readonly key: string; readonly body: string }
  | { readonly does: 'fire' | 'end' | 'acknowledge'; readonly key: string }
  | { readonly does: 'title'; readonly key: string; readonly iid: number; readonly title: string }
  | { readonly does: 'merge'; readonly key: string; readonly iid: number; readonly removeSource: boolean };

/** A line of the journal: an intent before it is sent, the answer after it came. */
type Line =
  | { readonly number: number; readonly intent: Intent }
  | { readonly number: number; readonly status: number; readonly body: Acknowledged | undefined };

/** The parts of an answer the checker compares. */
interface Acknowledged {
  readonly id?: number;
  readonly iid?: number;
  readonly merge_commit_sha?: string;
}

interface Written {
  readonly intent: Intent;
  status?: number;
  body?: Acknowledged | undefined;
}

const isAcknowledged = ({ status }: Written): boolean => status !== undefined && status < 300;

/** Writes of concurrent clients, on disk before they are sent and once they are answered. */
export interface Journal {
  /** Starts a client that writes until `signal` is aborted; what it does depends on `random` alone, and on the answers. */
  writer(name: string, random: Random, signal: AbortSignal): Promise<void>;
  /**
   * Reads everything back. What was acknowledged is there once, with what was acknowledged; what was not is there wholly or not at
   * all, and is there once after it has been asked for again. To be called when the system has settled and every writer has ended.
   */
  check(): Promise<void>;
}

/** Milliseconds for which a client with a key asks again. */
const asksFor = 60_000;

/**
 * Opens a journal in a new file.
 * @param keyed its clients send an `Idempotency-Key`, and a request without an answer again
 */
export function openJournal(fixture: Fixture, file: string, { keyed = false } = {}): Journal {
  const { system, projectId, reviewer, ok, all } = fixture;
  const at = `/projects/${projectId}`;
  const out = openSync(file, 'ax');
  const copies = new Map<string, WorkingCopy>();
  /** Answers no client may ever get. */
  const wrong: string[] = [];
  let number = 0;

  const record = (line: Line): void => {
    writeSync(out, `${JSON.stringify(line)}\n`);
    fsyncSync(out);
  };

  /** Writes down, sends, writes down the answer; undefined when there was none or it was no success. */
  async function attempt(
    intent: Intent,
    send: () => Promise<{ status: number; body: Acknowledged | undefined }>,
  ): Promise<Acknowledged | undefined> {
    number += 1;
    const line = number;
    record({ number: line, intent });
    try {
      const { status, body } = await send();
      record({
        number: line,
        status,
        body: body && { id: body.id, iid: body.iid, merge_commit_sha: body.merge_commit_sha },
      });
      return status < 300 ? (body ?? {}) : undefined;
    } catch (error) {
      if (String(error).includes('breaks its contract')) wrong.push(String(error));
      // Whether it was done is not known: that is what the checker finds out.
      await pause(100);
      return undefined;
    }
  }

  async function post(method: string, path: string, body: unknown): Promise<{ status: number; body: Acknowledged }> {
    const headers: Record<string, string> = keyed ? { 'Idempotency-Key': randomUUID() } : {};
    const until = Date.now() + asksFor;
    for (;;) {
      const goesOn = () => keyed && Date.now() < until;
      const reply = await system.api(method, path, { body, headers }).catch((error: Error) => {
        if (!goesOn() || error.message.includes('breaks its contract')) throw error;
      });
      if (reply !== undefined && reply.status >= 500 && ![502, 503, 504].includes(reply.status)) {
        wrong.push(`${method} ${path} ${reply.status} ${reply.text}`);
      }
      // 409 with `Retry-After`: the first request is still running.
      const isOpen = reply === undefined || reply.status >= 500 || reply.headers.has('retry-after');
      if (reply !== undefined && !(isOpen && goesOn())) return reply;
      await pause(200);
    }
  }

  const bodyOf = {
    label: (key: string) => ({ name: key, color: '#336699', description: `About ${key}` }),
    milestone: (key: string) => ({ title: key, description: `About ${key}` }),
    open: (key: string) => ({
      source_branch: key,
      target_branch: 'main',
      title: key,
      description: `About ${key}`,
      reviewer_ids: [reviewer.id],
    }),
  };
  const send = {
    label: (key: string) => post('POST', `${at}/labels`, bodyOf.label(key)),
    milestone: (key: string) => post('POST', `${at}/milestones`, bodyOf.milestone(key)),
    open: (key: string) => post('POST', `${at}/merge_requests`, bodyOf.open(key)),
    merge: (iid: number, removeSource: boolean) =>
      post('PUT', `${at}/merge_requests/${iid}/merge`, { should_remove_source_branch: removeSource }),
  };

  /** A branch, its merge request, a change of title, its merge; ends early where an answer is missing. */
  async function propose(copy: WorkingCopy, key: string, chance: Random): Promise<void> {
    const sha = await copy.branch(key);
    const pushed = await attempt({ does: 'push', key, sha }, async () => {
      await copy.push(key);
      return { status: 200, body: {} };
    });
    if (pushed === undefined) return;
    const opened = await attempt({ does: 'open', key }, () => send.open(key));
    const iid = opened?.iid;
    if (iid === undefined) return;
    if (chance.between(1, 3) === 1) {
      const title = `${key} again`;
      await attempt({ does: 'title', key, iid, title }, () => post('PUT', `${at}/merge_requests/${iid}`, { title }));
    }
    if (chance.between(1, 5) === 1) return;
    await mergeable(iid);
    const removeSource = chance.between(1, 3) > 1;
    await attempt({ does: 'merge', key, iid, removeSource }, () => send.merge(iid, removeSource));
  }

  /** An issue, and what is said on it: a comment, and a thread. */
  async function discuss(key: string): Promise<void> {
    const opened = await attempt({ does: 'issue', key }, () => post('POST', `${at}/issues`, { title: key }));
    if (opened?.iid === undefined) return;
    for (const kind of ['notes', 'discussions']) {
      const body = `${key} in ${kind}`;
      await attempt({ does: 'note', key, body }, () => post('POST', `${at}/issues/${opened.iid}/${kind}`, { body }));
    }
  }

  /** An integration of the project, which wants incidents and mail of its alerts. */
  let inlet: Promise<{ url: string; token: string }> | undefined;
  async function makeInlet(): Promise<{ url: string; token: string }> {
    await ok('PUT', `${at}/alert_management/settings`, { create_issue: true, send_email: true });
    return ok('POST', `${at}/alert_management/http_integrations`, { name: 'Journal', active: true });
  }

  async function sendPayload(payload: Record<string, string>): Promise<{ status: number; body: Acknowledged }> {
    inlet ??= makeInlet();
    const { url, token } = await inlet;
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) });
    const text = await reply.text();
    if (![200, 429, 502, 503, 504].includes(reply.status)) wrong.push(`alert ${payload.title} ${reply.status} ${text}`);
    return { status: reply.status, body: reply.status === 200 ? (JSON.parse(text)[0] ?? {}) : {} };
  }

  /** An alert that is reported once or more, acknowledged by hand, and ends, or fires on. */
  async function watch(key: string, chance: Random): Promise<void> {
    const payload = { title: key, fingerprint: key };
    let iid: number | undefined;
    for (let times = chance.between(1, 3); times > 0; times -= 1) {
      const received = await attempt({ does: 'fire', key }, () => sendPayload(payload));
      iid = received?.iid ?? iid;
    }
    if (iid === undefined) return;
    const status = { status: 'acknowledged' };
    await attempt({ does: 'acknowledge', key }, () => post('PUT', `${at}/alert_management_alerts/${iid}`, status));
    if (chance.between(1, 3) === 1) return;
    await attempt({ does: 'end', key }, () => sendPayload({ ...payload, status: 'resolved' }));
  }

  const mergeable = (iid: number): Promise<void> =>
    eventually(
      async () => {
        const { state, detailed_merge_status } = await ok('GET', `${at}/merge_requests/${iid}`);
        if (state === 'opened') expect(detailed_merge_status).toBe('mergeable');
      },
      { within: 60_000, every: 100 },
    );

  function written(): Written[] {
    const entries = new Map<number, Written>();
    for (const text of readFileSync(file, 'utf8').trim().split('\n')) {
      const line = JSON.parse(text) as Line;
      if ('intent' in line) entries.set(line.number, { intent: line.intent });
      else Object.assign(entries.get(line.number) as Written, { status: line.status, body: line.body });
    }
    return [...entries.values()];
  }

  /** Labels and milestones, whose key is their name. */
  async function checkNamed(entries: readonly Written[], does: 'label' | 'milestone'): Promise<void> {
    const wanted = entries.filter(({ intent }) => intent.does === does);
    const nameOf = (found: { name?: string; title?: string }) => found.name ?? found.title;
    const list = () => all(`${at}/${does}s`);
    const before = await list();
    for (const entry of wanted) {
      const { key } = entry.intent;
      const found = before.filter((one) => nameOf(one) === key);
      expect([key, found.length]).toEqual([key, isAcknowledged(entry) ? 1 : Math.min(found.length, 1)]);
      if (found[0] !== undefined) expect(found[0]).toMatchObject(bodyOf[does](key));
      if (isAcknowledged(entry)) expect(found[0].id).toBe(entry.body?.id);
      else expect([201, 400, 409]).toContain((await send[does](key)).status);
    }
    const after = await list();
    expect(after.map(nameOf).sort()).toEqual(wanted.map(({ intent }) => intent.key).sort());
    const kept = after.filter(({ id }) => before.some((one) => one.id === id));
    expect(kept).toHaveLength(before.length);
  }

  /** An issue and its notes: each is there once if it was acknowledged, and as often as its counter says. */
  async function checkIssue(key: string, entries: readonly Written[]): Promise<void> {
    const [found, ...more] = (await all(`${at}/issues?search=${key}&in=title`)).filter(({ title }) => title === key);
    expect([key, more]).toEqual([key, []]);
    const opened = entries.find(({ intent }) => intent.does === 'issue');
    if (opened !== undefined && isAcknowledged(opened)) expect(found?.id).toBe(opened.body?.id);
    if (found === undefined) return;
    const discussions = await all(`${at}/issues/${found.iid}/discussions`);
    const bodies: string[] = discussions.flatMap(({ notes }: { notes: { body: string }[] }) =>
      notes.map(({ body }) => body),
    );
    for (const entry of entries) {
      if (entry.intent.does !== 'note') continue;
      const { body } = entry.intent;
      const times = bodies.filter((one) => one === body).length;
      expect([body, times]).toEqual([body, isAcknowledged(entry) ? 1 : Math.min(times, 1)]);
    }
    expect([key, found.user_notes_count]).toEqual([key, bodies.length]);
  }

  /** An alert: every message that was acknowledged was counted, none of them twice, and each alert has one incident, open as long as it is. */
  async function checkAlert(key: string, entries: readonly Written[]): Promise<void> {
    const named = ({ title }: { title: string }) => title === key;
    const found = (await all(`${at}/alert_management_alerts?search=${key}`)).filter(named);
    const incidents = (await all(`${at}/issues?search=${key}&in=title`)).filter(named);
    const of = (does: Intent['does']) => entries.filter(({ intent }) => intent.does === does);
    const [fired, ended] = [of('fire'), of('end')];
    const events = found.reduce((sum, one) => sum + one.events, 0);
    const acknowledged = fired.filter(isAcknowledged).length;
    expect([key, events]).toEqual([key, Math.min(Math.max(events, acknowledged), fired.length)]);
    const open = found.filter(({ status }) => status !== 'resolved');
    expect([key, open.length]).toEqual([key, Math.min(open.length, 1)]);
    expect([key, incidents.map(({ iid }) => iid).sort()]).toEqual([key, found.map(({ issue }) => issue?.iid).sort()]);
    expect([key, incidents.filter(({ state }) => state === 'opened').map(({ iid }) => iid)]).toEqual([
      key,
      open.map(({ issue }) => issue.iid),
    ]);
    // What was not acknowledged may have come in after what was sent later.
    if (!entries.every(isAcknowledged)) return;
    expect([key, found.map(({ status }) => status)]).toEqual([key, [ended.length > 0 ? 'resolved' : 'acknowledged']]);
  }

  async function checkProposal(key: string, entries: readonly Written[]): Promise<void> {
    const of = <D extends Intent['does']>(does: D) =>
      entries.find(({ intent }) => intent.does === does) as
        | (Written & { intent: Extract<Intent, { does: D }> })
        | undefined;
    const [pushed, opened, titled, merging] = [of('push'), of('open'), of('title'), of('merge')];
    if (pushed === undefined) throw new Error(`no push of ${key}`);
    const requests = () => all(`${at}/merge_requests?state=all&source_branch=${key}`);
    const ref = `refs/heads/${key}`;

    const [found, ...more] = await requests();
    expect([key, more]).toEqual([key, []]);
    if (opened !== undefined && isAcknowledged(opened)) expect(found.id).toBe(opened.body?.id);
    if (opened === undefined) expect([key, found]).toEqual([key, undefined]);
    if (found !== undefined) {
      const titles =
        titled === undefined ? [key] : isAcknowledged(titled) ? [titled.intent.title] : [key, titled.intent.title];
      expect(titles).toContain(found.title);
      expect(found).toMatchObject({ description: `About ${key}`, sha: pushed.intent.sha });
      expect(found.reviewers.map(({ id }: { id: number }) => id)).toEqual([reviewer.id]);
      expect(merging === undefined ? ['opened'] : ['opened', 'merged']).toContain(found.state);
    }
    if (merging !== undefined && isAcknowledged(merging)) {
      expect(found).toMatchObject({ state: 'merged', merge_commit_sha: merging.body?.merge_commit_sha });
    }
    const removed = found?.state === 'merged' && merging?.intent.removeSource === true;
    const sha = await fixture.remoteSha(ref);
    const whole = isAcknowledged(pushed) || sha !== '' ? pushed.intent.sha : '';
    expect([key, sha]).toEqual([key, removed ? '' : whole]);

    // Again, whatever was not acknowledged.
    const copy = copies.get(key.split('-')[0] as string) as WorkingCopy;
    if (!isAcknowledged(pushed)) {
      await copy.push(key);
      expect(await fixture.remoteSha(ref)).toBe(pushed.intent.sha);
    }
    if (opened !== undefined && !isAcknowledged(opened)) {
      expect((await send.open(key)).status).toBe(found === undefined ? 201 : 409);
      expect(await requests()).toMatchObject([{ title: key, ...(found && { id: found.id }) }]);
    }
    if (merging !== undefined && found.state === 'opened') {
      await mergeable(found.iid);
      expect((await send.merge(found.iid, merging.intent.removeSource)).status).toBe(200);
    }
  }

  return {
    async writer(name, chance, signal) {
      const copy = await fixture.workingCopy(name);
      copies.set(name, copy);
      for (let turn = 1; !signal.aborted; turn += 1) {
        const key = `${name}-${turn}`;
        const does = chance.pick(['propose', 'propose', 'discuss', 'watch', 'label', 'milestone']);
        if (does === 'propose') await propose(copy, key, chance);
        else if (does === 'discuss') await discuss(key);
        else if (does === 'watch') await watch(key, chance);
        else await attempt({ does, key }, () => send[does](key));
        await pause(chance.between(0, 50));
      }
    },
    async check() {
      closeSync(out);
      const entries = written();
      expect(wrong).toEqual([]);
      await checkNamed(entries, 'label');
      await checkNamed(entries, 'milestone');
      const others = new Map<string, Written[]>();
      for (const entry of entries) {
        const { does, key } = entry.intent;
        if (does === 'label' || does === 'milestone') continue;
        others.set(key, [...(others.get(key) ?? []), entry]);
      }
      for (const [key, those] of others) {
        const does = those[0]?.intent.does;
        const check = does === 'issue' ? checkIssue : does === 'fire' ? checkAlert : checkProposal;
        await check(key, those);
      }
    },
  };
}
