import type { MessageInitShape } from '@bufbuild/protobuf';
import type { OutboxRecordSchema } from '@vantage/proto';
import { z } from 'zod';
import type { AgentIdentity } from '../../../apps/controller/src/testing/agent-identity.ts';
import type { AttackFixture } from './attack-fixture.ts';
import { type HostileConnection, type HostileStream, hello, openHostile } from './hostile-agent.ts';

/** A record of an agent's outbox. */
export type Outgoing = MessageInitShape<typeof OutboxRecordSchema>;

/** A Location of the hostile account whose agents are all run by the test. */
export interface HostileLocation {
  readonly name: string;
  readonly agents: readonly { readonly agentNo: number; readonly identity: AgentIdentity }[];
  /** Creates a device at this Location; its number comes with an assignment. */
  addDevice(): Promise<string>;
}

const created = z.object({ device_id: z.string() });

/** Creates the Location, with agents that only the test runs. */
export async function createHostileLocation(
  fixture: AttackFixture,
  name: string,
  count: number,
): Promise<HostileLocation> {
  const { accountNo, api } = fixture.hostile;
  const locationNo = await fixture.rows.location(accountNo, { name });
  const agents = await Promise.all(
    Array.from({ length: count }, () => fixture.enrolAgent({ accountNo, locationNo })),
  );
  return {
    name,
    agents,
    async addDevice() {
      const target = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'hostile', Frequency: 1, Timeout: 5 };
      return created.parse(await api.ok('POST', '/devices', { ...target, Locations: [name] })).device_id;
    },
  };
}

/** A session of an agent that the controller accepted. Disposing cuts its connection. */
export interface HostileSession extends Disposable {
  readonly connection: HostileConnection;
  readonly stream: HostileStream;
}

/** Connects and sends a proper Hello. Throws when no Welcome comes. */
export async function connectAgent(
  fixture: AttackFixture,
  identity: AgentIdentity | undefined,
): Promise<HostileSession> {
  const connection = openHostile({ ...fixture, identity });
  const stream = connection.open();
  stream.send(hello());
  if ((await stream.until('welcome')) === undefined) {
    const { status, text } = await stream.end;
    connection[Symbol.dispose]();
    throw new Error(`no welcome: ${status} ${text}`);
  }
  return { connection, stream, [Symbol.dispose]: () => connection[Symbol.dispose]() };
}

/** The number of the first device that the controller assigns to the agent. */
export async function firstDevice(stream: HostileStream): Promise<number> {
  while (true) {
    const part = await stream.until('assignments');
    if (part === undefined) throw new Error('the stream ended before a device was assigned');
    const [assignment] = part.value.upserts;
    if (assignment) return assignment.deviceNo;
  }
}
