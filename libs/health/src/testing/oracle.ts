import type { BaseStatus, Span } from '@vantage/domain';
import type { FoldSettings } from '../fold-step.ts';
import type { FoldInput, OnlineSpan } from '../observation.ts';

const second = 1_000_000;

/** The input of the oracle. All times are whole seconds, and few enough that the oracle can check each second. */
export interface ResultHistory {
  readonly seconds: number;
  readonly created: number;
  readonly results: readonly FoldInput[];
  readonly spans: readonly OnlineSpan[];
  readonly settings: FoldSettings;
  readonly coverage: readonly Span[];
  readonly maintenance: readonly Span[];
}

/**
 * The status of each second by results alone; if there are several in a second, the last. It is slow and simple on
 * purpose: it judges every prefix of the results from the start.
 */
export function baseBySecond(history: ResultHistory): BaseStatus[] {
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
export function countSeconds(history: ResultHistory, base: readonly BaseStatus[], from: number, to: number) {
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

/** Each result once, in order, without older targets and without late results while another agent was online. */
function countedResults({ results, spans, settings }: ResultHistory): FoldInput[] {
  const byKey = new Map(results.map((r) => [`${r.startUs}/${r.agentNo}`, r]));
  return [...byKey.values()]
    .filter((r) => r.revision >= settings.targetRevision)
    .filter((r) => {
      const late = r.arrivedUs - r.endUs > 60 * second;
      return !(late && spans.some((s) => s.agentNo !== r.agentNo && covers(s, r.startUs)));
    })
    .sort((a, b) => (a.startUs === b.startUs ? a.agentNo - b.agentNo : a.startUs - b.startUs));
}

/** The agents online at a time; if there is none, those of the last minute in which an agent was online. */
function onlineAt({ spans }: ResultHistory, us: number): OnlineSpan[] {
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

/** The status after these results, and where it would begin regardless of earlier statuses. */
function judge(results: readonly FoldInput[], history: ResultHistory): { status: BaseStatus; since: number } {
  const now: { status: BaseStatus; since: number } = { status: 'Unknown', since: 0 };
  let wasDownBeforeUnknown = false;
  let errors: FoldInput[] = [];
  for (const [i, r] of results.entries()) {
    if (isOneOffWithoutMeaning(r, history)) continue;
    const inconclusiveNos = lastAnswers(
      results.slice(0, i + 1).filter((result) => !isOneOffWithoutMeaning(result, history)),
    )
      .filter((last) => last.code >= 9)
      .map((last) => last.locationNo);
    const online = onlineAt(history, r.startUs).map((s) => s.locationNo);
    const set = (to: BaseStatus, from: number) => {
      wasDownBeforeUnknown = to === 'Unknown' && now.status === 'Down';
      if (to !== now.status) now.since = from;
      now.status = to;
      errors = [];
    };
    if (r.code === 1) {
      set('Up', r.endUs);
    } else if (r.code >= 9) {
      if ([...online, r.locationNo].every((no) => inconclusiveNos.includes(no))) {
        errors = [];
        if (now.status !== 'Unknown') set('Unknown', r.endUs);
      }
    } else if (now.status !== 'Down') {
      if (wasDownBeforeUnknown) {
        set('Down', r.endUs);
        continue;
      }
      errors.push(r);
      const ks = new Set(errors.slice(1).map((e) => e.attempt));
      const allFailed = Array.from({ length: history.settings.retries }, (_, k) => k + 1).every((k) =>
        ks.has(k),
      );
      const conclusive = new Set([...online, r.locationNo].filter((no) => !inconclusiveNos.includes(no)));
      const failing = new Set(errors.map((e) => e.locationNo));
      if (allFailed && (conclusive.size < 2 || failing.size >= 2)) set('Down', errors[0]?.endUs ?? 0);
    }
  }
  return now;
}

/** Inconclusive, while the device was assigned to another agent of the same Location. */
function isOneOffWithoutMeaning(r: FoldInput, history: ResultHistory): boolean {
  const online = onlineAt(history, r.startUs).filter((s) => s.locationNo === r.locationNo);
  return r.code >= 9 && online.length > 0 && online.every((s) => s.agentNo !== r.agentNo);
}

/** The last answer of each Location. */
function lastAnswers(results: readonly FoldInput[]): FoldInput[] {
  return [...new Map(results.map((r) => [r.locationNo, r])).values()];
}
