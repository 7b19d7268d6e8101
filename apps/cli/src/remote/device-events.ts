import { textOf } from '../json-text.ts';
import { connect } from './connection.ts';
import type { ControllerAccess } from './https-fetch.ts';
import { resourceNamed } from './resources.ts';
import type { Row } from './rows.ts';
import { eventText } from './run-events.ts';
import { idOf } from './run-resources.ts';

/** An event with its text for people. */
interface DeviceEvent {
  readonly atMs: number;
  readonly text: string;
  readonly event: Row;
}

/** The id of a device, and its last events since a moment. Throws a Fault for a name that no device or several have. */
export async function readDeviceEvents(
  access: ControllerAccess,
  name: string,
  { fromMs, most }: { readonly fromMs: number; readonly most: number },
): Promise<{ readonly id: string; readonly events: readonly DeviceEvent[] }> {
  using connection = connect(access);
  const id = await idOf(connection, resourceNamed('devices'), name);
  const since = fromMs > 0 ? { Timestamp1: `${new Date(fromMs).toISOString().slice(0, 19)}Z` } : {};
  const query = { Device: id, Limit: String(most), ...since };
  const answer = await connection.call({ method: 'GET', path: '/events', query });
  const rows = (await answer.json()) as readonly Row[];
  return {
    id,
    events: rows.map((event) => ({
      atMs: Date.parse(textOf(event['Timestamp'])),
      text: eventText(event),
      event,
    })),
  };
}
