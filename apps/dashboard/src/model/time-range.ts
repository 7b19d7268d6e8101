import { dayMs, hourMs } from '@vantage/domain/units';

const minuteMs = 60_000;

/** Spans that end now, shortest first. */
export const presets = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
  '1y': 365 * dayMs,
} as const;
export type Preset = keyof typeof presets;
export const presetNames: readonly Preset[] = ['1h', '6h', '24h', '7d', '30d', '90d', '1y'];

/** A time range as the address has it: a span up to now, or two moments, milliseconds since 1970. */
export type ChosenRange =
  | { readonly preset: Preset }
  | { readonly preset?: undefined; readonly from: number; readonly to: number };

/** A stretch of time, milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The shortest range that can be zoomed to. */
export const minSpanMs = 5 * minuteMs;
/** The longest one: marks and roll-ups of a year and a month. */
export const maxSpanMs = 400 * dayMs;

const isPreset = (text: string | null): text is Preset => text !== null && text in presets;

/** The range in an address; undefined: it has none. Pure. */
export function rangeIn(query: URLSearchParams): ChosenRange | undefined {
  const span = query.get('span');
  if (isPreset(span)) return { preset: span };
  const [from, to] = [query.get('from'), query.get('to')].map((text) => Date.parse(text ?? ''));
  if (from === undefined || to === undefined || !(to - from >= minSpanMs)) return undefined;
  return { from: Math.max(from, to - maxSpanMs), to };
}

/** A moment as the address has it; whole seconds. Pure. */
export const momentText = (ms: number): string =>
  new Date(Math.round(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');

/** The parameters of the address for a range. Pure. */
export function rangeQuery(range: ChosenRange): Readonly<Record<string, string>> {
  if (range.preset !== undefined) return { span: range.preset };
  return { from: momentText(range.from), to: momentText(range.to) };
}

/** The shortest preset that shows all of a new device, at most a day. Pure. */
export function presetSince(createdMs: number, now: number): Preset {
  return presetNames.find((name) => presets[name] >= now - createdMs || name === '24h') ?? '24h';
}

/** The moments of a range. A span up to now starts when the device was created, if that is later. Pure. */
export function spanOf(range: ChosenRange, { now, createdMs }: { now: number; createdMs: number }): TimeSpan {
  if (range.preset === undefined)
    return { from: range.from, to: Math.min(range.to, Math.max(now, range.from + minSpanMs)) };
  const from = Math.max(now - presets[range.preset], createdMs);
  return { from: Math.min(from, now - minSpanMs), to: now };
}

/** The range before or after this one; a range that would reach now ends now. Pure. */
export function moved(range: ChosenRange, direction: -1 | 1, now: number): ChosenRange {
  const { from, to } = lengthOf(range, now);
  const length = to - from;
  if (direction === 1 && to + length >= now) return upToNow(length, now);
  return { from: from + direction * length, to: to + direction * length };
}

/** The range with its start at another moment; one that would reach now ends now. Pure. */
export function movedTo(range: ChosenRange, from: number, now: number): ChosenRange {
  const length = lengthOf(range, now).to - lengthOf(range, now).from;
  return from + length >= now ? upToNow(length, now) : { from, to: from + length };
}

/** The length of the strip below an axis, milliseconds. */
export const stripMs = 30 * dayMs;

/**
 * The 30 days in which a range is moved: those until now, or for an older range those around it; undefined: the range
 * is longer. Pure.
 */
export function stripOf({ from, to }: TimeSpan, now: number): TimeSpan | undefined {
  if (to - from >= stripMs) return undefined;
  const end = from >= now - stripMs ? now : Math.min(now, (from + to + stripMs) / 2);
  return { from: end - stripMs, to: end };
}

/** The range half as long around a moment, or twice as long. Pure. */
export function zoomed(range: ChosenRange, way: 'in' | 'out', now: number, around?: number): ChosenRange {
  const { from, to } = lengthOf(range, now);
  const length = Math.min(maxSpanMs, Math.max(minSpanMs, (to - from) * (way === 'in' ? 0.5 : 2)));
  const isOpen = to >= now - 1_000;
  const middle = around ?? (isOpen && way === 'out' ? to : (from + to) / 2);
  const share = (middle - from) / Math.max(1, to - from);
  const end = middle + length * (1 - share);
  if (end >= now - 1_000) return upToNow(length, now);
  return { from: end - length, to: end };
}

function lengthOf(range: ChosenRange, now: number): TimeSpan {
  return range.preset === undefined ? range : { from: now - presets[range.preset], to: now };
}

/** A range up to now: the preset of this length, if there is one. */
function upToNow(length: number, now: number): ChosenRange {
  const preset = presetNames.find((name) => Math.abs(presets[name] - length) < minuteMs);
  return preset === undefined ? { from: now - length, to: now } : { preset };
}

/** The buckets of the API with their length. */
const bucketMs = {
  '5Min': 5 * minuteMs,
  '15Min': 15 * minuteMs,
  Hour: hourMs,
  '6Hour': 6 * hourMs,
  Day: dayMs,
} as const;
export type BucketName = keyof typeof bucketMs;
const bucketNames: readonly BucketName[] = ['5Min', '15Min', 'Hour', '6Hour', 'Day'];

const maxBuckets = 400;

/**
 * The narrowest bucket with which a span has at most 400 buckets, each of two pixels or more. `pixels` is the width of
 * the chart. Pure.
 */
export function bucketFor(
  { from, to }: TimeSpan,
  pixels: number,
): { readonly name: BucketName; readonly ms: number } {
  const most = Math.min(maxBuckets, pixels / 2);
  const name = bucketNames.find((each) => (to - from) / bucketMs[each] <= most) ?? 'Day';
  return { name, ms: bucketMs[name] };
}

const tickSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080, 20_160, 43_200, 86_400,
].map((minutes) => minutes * minuteMs);

const quarterMs = 92 * dayMs;

/**
 * Moments for the axis, at most `most` of them, at multiples of a usual step. `offsetMs` is that of the account's zone.
 * Pure.
 */
export function ticksOf({ from, to }: TimeSpan, most: number, offsetMs: number): readonly number[] {
  const step =
    tickSteps.find((each) => (to - from) / each <= most) ??
    Math.ceil((to - from) / most / quarterMs) * quarterMs;
  const first = Math.ceil((from + offsetMs) / step) * step - offsetMs;
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / step) + 1) },
    (_, at) => first + at * step,
  );
}
