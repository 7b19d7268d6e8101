/** Every sentinel begins with this text; the rest names its field. */
const stem = 'Sentinel7Qx';

/** A secret of the test. */
export function sentinel(where: string): string {
  return `${stem}-${where}`;
}

/** `${secret:NAME}` or `${local:NAME}`, as a device's settings hold it. */
export function reference(name: string, kind: 'secret' | 'local' = 'secret'): string {
  return ['$', `{${kind}:`, name, '}'].join('');
}

/**
 * Finds secrets in a text: the stem in clear, in hex, in Base64 at each of the three positions in a group of bytes, or
 * a line of a key.
 */
export function createSearch(): {
  /** Adds a PEM text, which the search finds by a line from its middle. */
  readonly addKey: (pem: string) => string;
  readonly shown: (text: string) => readonly string[];
} {
  const forms = [
    stem,
    Buffer.from(stem).toString('hex'),
    ...['', 'x', 'xx'].map((before) =>
      Buffer.from(`${before}${stem}`)
        .toString('base64')
        .slice(before === '' ? 0 : 4, -4),
    ),
  ].map((form) => form.toLowerCase());
  return {
    addKey(pem) {
      const lines = pem.split('\n').filter((line) => line.length > 30 && !line.startsWith('-'));
      forms.push((lines[1] ?? lines[0] ?? pem).toLowerCase());
      return pem;
    },
    shown(text) {
      const lower = text.toLowerCase();
      return forms.flatMap((form) => {
        const at = lower.indexOf(form);
        return at < 0 ? [] : [text.slice(Math.max(0, at - 120), at + 60)];
      });
    },
  };
}
