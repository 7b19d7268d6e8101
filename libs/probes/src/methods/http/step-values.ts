/** A value that a step extracted, as later steps name it: `${name}`. References to secrets have a colon. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of the values that a text refers to. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(reference)].flatMap(([, name]) => name ?? []);
}

/** The text with each `${name}` replaced. A value is not searched for further references. */
export function fillValues(text: string, replace: (name: string, at: number) => string): string {
  return text.replace(reference, (_whole, name: string, at: number) => replace(name, at));
}

/**
 * Whether the settings alone decide to which scheme, host and port the URL of a step leads: it is a path at the
 * device's own address, or no `${name}` stands before its path.
 */
export function hasFixedOrigin(url: string): boolean {
  if (/^(\/(?![/\\])|\?)/.test(url)) return true;
  const origin = originOf(url);
  return origin !== undefined && namesIn(origin).length === 0;
}

/** Scheme, host and port in the text of an absolute URL; undefined: it is none. */
export function originOf(url: string): string | undefined {
  return /^https?:\/\/[^/?#\\]+/i.exec(url)?.[0];
}
