import { numberOf, textOf } from './unknown-values.ts';

/** Seconds of a span such as `90`, `30s`, `5m`, `1h30m`, `500ms`, `2 min`. A bare number counts in `bareSeconds`. */
export function spanSeconds(value: unknown, bareSeconds = 1): number | undefined {
  const text = textOf(value)?.toLowerCase();
  if (text === undefined) return undefined;
  const bare = numberOf(text);
  if (bare !== undefined) return bare >= 0 ? bare * bareSeconds : undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return undefined;
  let sum = 0;
  for (const [, count, unit] of parts) {
    const seconds = unitSeconds(unit ?? '');
    if (seconds === undefined) return undefined;
    sum += Number(count) * seconds;
  }
  return sum;
}

function unitSeconds(unit: string): number | undefined {
  if (unit === 'ms' || unit.startsWith('milli')) return 0.001;
  if (/^(s|secs?|seconds?)$/.test(unit)) return 1;
  if (/^(m|mins?|minutes?)$/.test(unit)) return 60;
  if (/^(h|hrs?|hours?)$/.test(unit)) return 3600;
  if (/^(d|days?)$/.test(unit)) return 86_400;
  if (/^(w|weeks?)$/.test(unit)) return 604_800;
  return undefined;
}
