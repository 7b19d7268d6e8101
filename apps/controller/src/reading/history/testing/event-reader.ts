import { z } from 'zod';

const event = z.object({ event_id: z.string(), Message: z.string(), Timestamp: z.string() });

/** A stream of events as a test reads it. */
export interface EventReader {
  readonly type: string | null;
  readonly text: string;
  /** The stream came to its end, or broke. */
  readonly ended: boolean;
  readonly broken: boolean;
  events(): readonly (z.output<typeof event> & { id: string })[];
  leave(): void;
}

/** Opens a stream of events. */
export async function openEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { 'X-Forwarded-Proto': 'https', ...headers },
    signal: leaving.signal,
  });
  const state = { text: '', ended: false, broken: false };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) state.text += decoder.decode(chunk, { stream: true });
  };
  void read()
    .catch(() => {
      state.broken = true;
    })
    .finally(() => {
      state.ended = true;
    });
  return {
    type: response.headers.get('content-type'),
    get text() {
      return state.text;
    },
    get ended() {
      return state.ended;
    },
    get broken() {
      return state.broken;
    },
    events: () =>
      [...state.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
        id,
        ...event.parse(JSON.parse(data)),
      })),
    leave: () => leaving.abort(),
  };
}
