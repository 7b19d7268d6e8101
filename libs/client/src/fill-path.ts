/**
 * The path of a template (`/devices/{device_id}`) with these values, each percent-encoded. Throws a RangeError, which
 * names the placeholder, for a value that is missing or empty, and for `.` and `..`: URLs drop these segments (URL
 * standard, "path state"; RFC 3986, section 5.2.4), so the request would reach another thing than the one that is
 * meant.
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name];
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    if (['', '.', '..'].includes(text))
      throw new RangeError(
        `${name} must be an id or a name, but ${text === '' ? 'it is empty' : `"${text}" was given`}`,
      );
    return encodeURIComponent(text);
  });
}
