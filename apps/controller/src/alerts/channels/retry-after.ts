/**
 * The wait that a header Retry-After requests (RFC 9110 section 10.2.3: seconds, or a date), milliseconds. undefined:
 * the header is missing or has another form.
 */
export function retryAfterMs(text: string | undefined, nowUs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const atMs = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowUs / 1000);
}
