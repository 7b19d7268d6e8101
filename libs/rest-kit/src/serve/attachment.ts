/**
 * The value of Content-Disposition that offers the answer as a file (RFC 6266), whatever the name holds: the plain form
 * in safe ASCII and, where that loses something, the extended form (RFC 8187). Folders are cut off; undefined when
 * nothing is left of the name.
 */
export function attachment(name: string): string | undefined {
  const base = (name.split(/[/\\]/).at(-1) ?? '')
    .toWellFormed()
    .replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, '')
    .trim()
    .slice(0, 200)
    .toWellFormed();
  if (base === '' || base === '.' || base === '..') return undefined;
  const plain = base.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["%;\\]/g, '_');
  const extended = plain === base ? '' : `; filename*=UTF-8''${encode(base)}`;
  return `attachment; filename="${plain}"${extended}`;
}

/** attr-char of RFC 8187 section 3.2.1 stays, all else is percent-encoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
