/** The tags of devices, and the branches above them as `berlin/*`, each once, in the order of the text. */
export function tagLevels(rows: Iterable<{ readonly tags: readonly string[] }>): readonly string[] {
  const levels = new Set<string>();
  for (const { tags } of rows)
    for (const tag of tags) {
      levels.add(tag);
      for (let end = tag.indexOf('/'); end > 0; end = tag.indexOf('/', end + 1))
        levels.add(`${tag.slice(0, end)}/*`);
    }
  return [...levels].sort((a, b) => a.localeCompare(b));
}
