/** An address names at most this many devices; a filter chooses more. */
const mostNamed = 200;

/**
 * The address of the report of some devices, of which `filter` is the text that chooses exactly these; undefined: none
 * does. Returns undefined where they are too many for an address.
 */
export function reportAddress(ids: readonly string[], filter?: string): string | undefined {
  if (filter !== undefined) return filter === '' ? '/reports' : `/reports?q=${encodeURIComponent(filter)}`;
  return ids.length === 0 || ids.length > mostNamed ? undefined : `/reports?devices=${ids.join(',')}`;
}
