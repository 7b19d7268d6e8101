/** A blank that does not break, between a number and its unit. */
const gap = '\u00a0';
const none = '–';

/** Units that are written with a prefix: `8.2 Gbit/s`. */
const prefixed = /^(bit|B|byte|bytes|Hz|W|Wh|V|A|VA|pkt|packets|req|requests)(\/s)?$/i;
const prefixes = ['', 'k', 'M', 'G', 'T', 'P'] as const;
/** Amounts from here on are written with a power of ten. */
const maxPlain = 1e21;

/** Three digits that matter, or all of a whole number below 10,000: `0.0312`, `41.2`, `1234`. */
function digits(value: number): string {
  const amount = Math.abs(value);
  if (amount >= maxPlain || (amount > 0 && amount < 1e-4)) return value.toExponential(2);
  if (amount >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** A measured value with its unit in few characters; `–` where there is none. Pure. */
export function amount(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return none;
  const isLarge = Math.abs(value) >= 1_000 && Math.abs(value) < maxPlain;
  const canHavePrefix = prefixed.test(unit) || (unit === '' && Math.abs(value) >= 10_000);
  const power =
    isLarge && canHavePrefix ? Math.min(prefixes.length - 1, Math.floor(Math.log10(Math.abs(value)) / 3)) : 0;
  const shown = digits(value / 1_000 ** power);
  const text = `${prefixes[power] ?? ''}${unit}`;
  return text === '' ? shown : `${shown}${gap}${text}`;
}
