/** A no-break space between a number and its unit. */
const gap = '\u00a0';
const none = '–';

/** A duration in full: `1 h 12 min 38 s`, or only its `maxParts` largest parts. */
export function inFull(seconds: number, maxParts = 4): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const shown = parts
    .filter(([count]) => count > 0)
    .slice(0, maxParts)
    .map(([count, unit]) => `${count}${gap}${unit}`);
  return shown.length === 0 ? `0${gap}s` : shown.join(gap);
}

/** A count with commas: `4,812`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Three decimals, truncated, so that only a span without any Down is 100 %. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return none;
  const cut = Math.floor(value * 1_000) / 1_000;
  return `${value === 100 ? '100' : cut.toFixed(3)}${gap}%`;
}
