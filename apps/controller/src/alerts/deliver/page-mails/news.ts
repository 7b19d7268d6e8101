import type { ReadEvent } from '../account-events.ts';

/** A note on a status page. */
export interface PageNote {
  readonly AtUs: number;
  readonly Kind: string;
  readonly Text: string;
}

/** The news of a page for its subscribers. */
export interface News {
  readonly subject: string;
  readonly lines: readonly string[];
}

/** The part of an event's record that news are made of. */
interface EventFacts {
  readonly ShortName: string | null;
  readonly FullName: string | null;
  readonly Timestamp: string;
  readonly Duration: number | null;
  readonly Late: boolean;
}

/** A mail has at most this many lines and counts the others. */
const maxLines = 40;

/**
 * The news in some events (Down, Up) and notes, in the order in which they happened; undefined: there are none. A
 * service that went down and came back among them has one line. Late results are no news. Pure.
 */
export function newsOf(
  name: string,
  events: readonly (Pick<ReadEvent, 'type'> & { readonly facts: EventFacts })[],
  notes: readonly PageNote[],
): News | undefined {
  const last = new Map<string, { readonly type: string; readonly line: string }>();
  for (const { type, facts } of events) {
    if (facts.Late) continue;
    const service = facts.FullName || facts.ShortName || 'A service that was deleted';
    const at = facts.Timestamp.slice(11, 16);
    const line =
      type === 'Down'
        ? `${service} is down since ${at}.`
        : `${service} is up again since ${at}${facts.Duration === null ? '' : `, it was down for ${lengthText(facts.Duration)}`}.`;
    last.delete(service);
    last.set(service, { type, line });
  }
  const states = [...last.values()];
  const written = notes.map(({ Kind, Text }) => `${Kind}: ${Text}`);
  const lines = [...written, ...states.map(({ line }) => line)];
  if (lines.length === 0) return undefined;
  const down = states.filter(({ type }) => type === 'Down').length;
  const [first = ''] = lines;
  const subject =
    written.length > 0
      ? `${name}: ${first.split('\n')[0]?.slice(0, 100)}`
      : states.length === 1
        ? `${name}: ${first.replace(/\.$/, '')}`
        : down > 0
          ? `${name}: ${down} service${down === 1 ? ' is' : 's are'} down`
          : `${name}: ${states.length} services are up again`;
  const shown = lines.slice(0, maxLines);
  if (lines.length > shown.length) shown.push(`And ${lines.length - shown.length} more.`);
  return { subject, lines: shown };
}

function lengthText(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
