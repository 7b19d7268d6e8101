/** A time span, milliseconds since 1970; `to` is undefined while it lasts. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

/** The state of a device by the actions of a scene. A later kind hides the kinds before it. */
const kinds = ['down', 'unknown', 'maintenance'] as const;
type Kind = (typeof kinds)[number];

/** The actions of a scene on its devices, with their times. */
export interface Truth {
  /** From now on the device is in this state for this reason (`self`, `router`, …). */
  begin(name: string, kind: Kind, reason: string): void;
  end(name: string, kind: Kind, reason: string): void;
  /** The time since the device went Down, milliseconds; 0: it is not Down. */
  downForMs(name: string, atMs: number): number;
  /** The seconds of each kind in a period, which the API must show. */
  seconds(name: string, period: Period): Readonly<Record<Kind, number>>;
  /** The number of outages of the period that have time outside of the other kinds. */
  outages(name: string, period: Period): number;
}

/** Milliseconds since 1970. */
interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Records the deeds of a scene. `nowMs` gives milliseconds since 1970. */
export function createTruth(nowMs: () => number): Truth {
  const open = new Map<string, Set<string>>();
  const spans = new Map<string, Span[]>();
  const key = (name: string, kind: Kind) => `${kind} ${name}`;
  const of = (name: string, kind: Kind) => spans.get(key(name, kind)) ?? [];
  return {
    begin(name, kind, reason) {
      const reasons = open.get(key(name, kind)) ?? new Set<string>();
      open.set(key(name, kind), reasons);
      if (reasons.size === 0)
        spans.set(key(name, kind), [...of(name, kind), { fromMs: nowMs(), toMs: undefined }]);
      reasons.add(reason);
    },
    end(name, kind, reason) {
      const reasons = open.get(key(name, kind));
      if (!reasons?.delete(reason) || reasons.size > 0) return;
      const ended = of(name, kind).map((span) =>
        span.toMs === undefined ? { ...span, toMs: nowMs() } : span,
      );
      spans.set(key(name, kind), ended);
    },
    downForMs(name, atMs) {
      const now = of(name, 'down').find(({ fromMs, toMs }) => fromMs <= atMs && (toMs ?? atMs) >= atMs);
      return now === undefined ? 0 : atMs - now.fromMs;
    },
    seconds(name, period) {
      const all = kinds.map((kind) => of(name, kind));
      const sums = { down: 0, unknown: 0, maintenance: 0 };
      for (const part of cut(all.flat(), period)) {
        const shown = kinds.findLast((kind) => of(name, kind).some((span) => covers(span, part)));
        if (shown !== undefined) sums[shown] += (part.toMs - part.fromMs) / 1000;
      }
      return sums;
    },
    outages: (name, period) =>
      of(name, 'down').filter((outage) =>
        cut([...of(name, 'unknown'), ...of(name, 'maintenance')], within(outage, period)).some(
          (part) =>
            part.fromMs < part.toMs &&
            ![...of(name, 'unknown'), ...of(name, 'maintenance')].some((span) => covers(span, part)),
        ),
      ).length,
  };
}

function within(span: Span, { fromMs, toMs }: Period): Period {
  return { fromMs: Math.max(fromMs, span.fromMs), toMs: Math.min(toMs, span.toMs ?? toMs) };
}

/** The parts of a period between the ends of these spans. */
function cut(spans: readonly Span[], period: Period): Period[] {
  const { fromMs, toMs } = period;
  const ends = spans.flatMap((span) => [span.fromMs, span.toMs ?? toMs]);
  const marks = [...new Set([fromMs, ...ends.filter((at) => at > fromMs && at < toMs), toMs])].sort(
    (a, b) => a - b,
  );
  return marks.slice(1).map((to, i) => ({ fromMs: marks[i] ?? fromMs, toMs: to }));
}

function covers(span: Span, part: Period): boolean {
  return span.fromMs <= part.fromMs && (span.toMs ?? Number.POSITIVE_INFINITY) >= part.toMs;
}
