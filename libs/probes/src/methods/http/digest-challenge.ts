/** A challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; of a repeated one, the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const maxChallenges = 20;
const maxParameters = 200;

// Sticky: each matches only at the cursor, and none can match the same text in two ways, so reading takes linear time.
const separators = /[\s,]*/y;
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const equals = /[ \t]*=[ \t]*/y;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;
/** A value that is no token, and what is left of a challenge in a form that is not known here (`NTLM TlRM…==`). */
const other = /[^\s,]+/y;

/**
 * Reads the challenges of a header. Servers send several in one header or in several ones, which are joined by commas.
 * A word that is followed by `=` is a parameter, any other begins a challenge. Foreign forms are skipped.
 */
export function readChallenges(header: string): readonly Challenge[] {
  const found: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (let count = 0; at < header.length && count < maxParameters; count += 1) {
    take(separators);
    const name = take(token)?.[0].toLowerCase();
    if (name === undefined) {
      if (take(other) === null) break;
      continue;
    }
    if (take(equals) === null) {
      if (found.length === maxChallenges) break;
      found.push({ scheme: name, parameters: new Map() });
      continue;
    }
    const text = take(quoted)?.[1]?.replace(/\\(.)/gs, '$1') ?? take(other)?.[0] ?? '';
    const parameters = found.at(-1)?.parameters;
    if (parameters !== undefined && !parameters.has(name)) parameters.set(name, text);
  }
  return found;
}
