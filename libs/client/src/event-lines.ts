/** A server-sent event. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** undefined: the stream only tells its position, from which a reader can resume. */
  readonly data: string | undefined;
}

/** Far more than an event of the API has. */
const maxLineLength = 1_000_000;

/**
 * Parses server-sent events (HTML, section 9.2.6) from pieces of text. Each call returns the events that the piece
 * completes.
 */
export function createEventReader(): (piece: string) => readonly StreamEvent[] {
  let rest = '';
  let id: string | undefined;
  let hasId = false;
  let data: string[] = [];
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) throw new Error('a line of the stream is too long');
    const events: StreamEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0 || hasId)
          events.push({ id, data: data.length > 0 ? data.join('\n') : undefined });
        data = [];
        hasId = false;
        continue;
      }
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === 'data') data.push(value);
      else if (name === 'id') {
        id = value;
        hasId = true;
      }
    }
    return events;
  };
}

/** The delay before the next attempt: doubling from 1 s to 30 s, randomly in the upper half of that. */
export function retryDelayMs(failures: number, random: number): number {
  const full = Math.min(30_000, 1_000 * 2 ** Math.min(failures, 10));
  return Math.round(full / 2 + (full / 2) * random);
}
