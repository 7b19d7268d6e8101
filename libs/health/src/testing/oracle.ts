import type { BaseStatus, Span } from '@vantage/domain';
import type { OnlineSpan, Result } from '../observation.ts';
import type { FoldSettings } from '../step.ts';

const second = 1_000_000;

/** The input of the oracle: all times in whole seconds, and few enough that the oracle can check each second. */
export interface History {
  readonly seconds: number;
  readonly created: number;
  readonly results: readonly Result[];
  readonly spans: readonly OnlineSpan[];
  readonly settings: FoldSettings;
  readonly coverage: readonly Span[];
  readonly maintenance: readonly Span[];
}

/**
 * The status of each second by results alone; of several in one second, the last. Slow and simple on purpose: it judges
 * every prefix from its beginning.
 */
export function baseBySecond(history: History): BaseStatus[] {
  const painted: BaseStatus[] = Array.from({ length: history.seconds }, () => 'Unknown');
  const counted = countedResults(history);
  let since = history.created * second;
  let was: BaseStatus = 'Unknown';
  for (let length = 1; length <= counted.length; length += 1) {
    const verdict = judge(counted.slice(0, length), history);
    if (verdict.status === was) continue;
    since = Math.max(since + 1, verdict.since);
    was = verdict.status;
    for (let s = Math.floor(since / second); s < history.seconds; s += 1) painted[s] = was;
  }
  return painted;
}

/** Seconds of each shown status within [from, to), counted one by one. */
export function countSeconds(history: History, base: readonly BaseStatus[], from: number, to: number) {
  const count = { Up: 0, Down: 0, Maint: 0, Unknown: 0 };
  const inSpan = (span: Span, s: number) => span.fromUs <= s * second && s * second < span.toUs;
  for (let s = from; s < to; s += 1) {
    if (s < history.created) count.Unknown += 1;
    else if (history.maintenance.some((span) => inSpan(span, s))) count.Maint += 1;
    else if (!history.coverage.some((span) => inSpan(span, s))) count.Unknown += 1;
    else count[base[s] ?? 'Unknown'] += 1;
  }
  return count;
}

/** Once each, in order, without history and without late ones that somebody else's watching covers. */
function countedResults({ results, spans, settings }: History): Result[] {
  const byKey = new Map(results.map((r) => [`${r.startUs}/${r.agentNo}`, r]));
  return [...byKey.values()]
    .filter((r) => r.revision >= settings.targetRevision)
    .filter((r) => {
      const late = r.arrivedUs - r.endUs > 60 * second;
      return !(late && spans.some((s) => s.agentNo !== r.agentNo && covers(s, r.startUs)));
    })
    .sort((a, b) => (a.startUs === b.startUs ? a.agentNo - b.agentNo : a.startUs - b.startUs));
}

/** Who watches then; when nobody does, who did at any time of the last minute in which somebody did. */
function watchersAt({ spans }: History, us: number): OnlineSpan[] {
  for (let back = us; back >= 0; back -= second) {
    const seen = spans.filter((s) => covers(s, back));
    if (seen.length === 0) continue;
    if (back === us) return seen;
    return spans.filter((s) => s.toUs <= us && s.toUs > back + second - 60 * second && s.fromUs < s.toUs);
  }
  return [];
}

function covers(span: OnlineSpan, us: number): boolean {
  return span.fromUs <= us && us < span.toUs;
}

/** The status after these results, and where it would begin by itself. */
function judge(results: readonly Result[], history: History): { status: BaseStatus; since: number } {
  const now: { status: BaseStatus; since: number } = { status: 'Unknown', since: 0 };
  let wentBlindWhileDown = false;
  let errors: Result[] = [];
  for (const [i, r] of results.entries()) {
    if (isOneOffWithoutMeaning(r, history)) continue;
    const inconclusiveNos = lastAnswers(
      results.slice(0, i + 1).filter((one) => !isOneOffWithoutMeaning(one, history)),
    )
      .filter((last) => last.code >= 9)
      .map((last) => last.locationNo);
    const watchers = watchersAt(history, r.startUs).map((s) => s.locationNo);
    const set = (to: BaseStatus, from: number) => {
      wentBlindWhileDown = to === 'Unknown' && now.status === 'Down';
      if (to !== now.status) now.since = from;
      now.status = to;
      errors = [];
    };
    if (r.code === 1) {
      set('Up', r.endUs);
    } else if (r.code >= 9) {
      if ([...watchers, r.locationNo].every((no) => inconclusiveNos.includes(no))) {
        errors = [];
        if (now.status !== 'Unknown') set('Unknown', r.endUs);
      }
    } else if (now.status !== 'Down') {
      if (wentBlindWhileDown) {
        set('Down', r.endUs);
        continue;
      }
      errors.push(r);
      const ks = new Set(errors.slice(1).map((e) => e.attempt));
      const allFailed = Array.from({ length: history.settings.retries }, (_, k) => k + 1).every((k) =>
        ks.has(k),
      );
      const looking = new Set([...watchers, r.locationNo].filter((no) => !inconclusiveNos.includes(no)));
      const sawIt = new Set(errors.map((e) => e.locationNo));
      if (allFailed && (looking.size < 2 || sawIt.size >= 2)) set('Down', errors[0]?.endUs ?? 0);
    }
  }
  return now;
}

/** It says nothing, and the device was another agent's of the same Location then. */
function isOneOffWithoutMeaning(r: Result, history: History): boolean {
  const watchers = watchersAt(history, r.startUs).filter((s) => s.locationNo === r.locationNo);
  return r.code >= 9 && watchers.length > 0 && watchers.every((s) => s.agentNo !== r.agentNo);
}

/** The last answer of each Location. */
function lastAnswers(results: readonly Result[]): Result[] {
  return [...new Map(results.map((r) => [r.locationNo, r])).values()];
}
