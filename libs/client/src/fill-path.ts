/**
 * The path of a template (`/devices/{device_id}`) with percent-encoded values. Throws a RangeError, which names the
 * placeholder, if a value is missing, empty, `.` or `..`: URLs drop these segments (URL standard, "path state"; RFC
 * 3986, section 5.2.4), so the request would reach a different resource.
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
