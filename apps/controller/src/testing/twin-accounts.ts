import { checkId } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { z } from 'zod';
import { type AccountApi, addAccount } from './one-account.ts';
import type { RestFixture } from './rest-fixture.ts';
import { addAlert, addChecks, sampleContact, sampleMschedule } from './sample-account.ts';

/** Devices of the scope, and devices outside of it. */
export const twinDevices = ['own0', 'own1', 'own2', 'far0', 'far1'] as const;
type TwinDevice = (typeof twinDevices)[number];

/** Something that happens in both accounts at one moment; in the one without far devices only what is about others. */
export type TwinStep =
  | { readonly kind: 'change'; readonly device: TwinDevice; readonly body: object }
  | { readonly kind: 'tag'; readonly device: TwinDevice; readonly isOn: boolean }
  | { readonly kind: 'checks'; readonly device: TwinDevice; readonly count: number }
  | { readonly kind: 'status'; readonly device: TwinDevice; readonly status: 'Up' | 'Down' | 'Unknown' }
  | { readonly kind: 'maintain'; readonly device: TwinDevice; readonly isStart: boolean }
  | { readonly kind: 'note'; readonly device: TwinDevice }
  | { readonly kind: 'behind'; readonly device: TwinDevice; readonly master: TwinDevice };

/** An account that has all devices, or the same one without those outside of the scope. */
export interface Twin {
  readonly account: AccountApi;
  readonly hasFar: boolean;
  /** The key of the reader, of level UA: limited to the tags of the scope, or without a limit. */
  readonly readerKey: string;
  /** Ids by what they stand for; one of a far device that is not there is unknown. */
  readonly ids: Map<string, string>;
  play(step: TwinStep): Promise<void>;
  remove(device: TwinDevice): Promise<void>;
}

/** Creates one, with its devices at two Locations, a schedule of each kind, a contact and an agent. */
export async function addTwin(rest: RestFixture, hasFar: boolean): Promise<Twin> {
  await createPartitions({ ...rest, log: createLog('twins', 'silent'), retentionDays: 2 }).ensure();
  const account = await addAccount(rest, newId());
  const { accountNo, locationNo } = account;
  const ids = new Map<string, string>();
  const create = async (label: string, path: string, body: object) => {
    ids.set(label, await account.create(path, body));
  };
  for (const name of ['mine', 'both']) await create(name, '/tags', { Name: name });
  if (hasFar) await create('theirs', '/tags', { Name: 'theirs' });
  else ids.set('theirs', newId());
  await create('oslo', '/locations', { Name: 'oslo' });
  await create('contact', '/contacts', { ...sampleContact, Name: 'hook' });
  const Steps = [{ DelayMinutes: 0, Contacts: [ids.get('contact')] }];
  await create('nschedule', '/nschedules', { Name: 'office', Steps });
  await create('mschedule', '/mschedules', sampleMschedule);
  const agent_id = newId();
  const { agentNo } = await createFixtures(rest.db.kysely).agent(account, { agent_id });
  ids.set('agent', agent_id);
  const numbers = new Map<TwinDevice, number>();
  for (const name of twinDevices) {
    const isFar = name.startsWith('far');
    ids.set(name, newId());
    if (isFar && !hasFar) continue;
    await create(name, '/devices', {
      Method: 'TCP',
      URL: `${name}.example:1`,
      ShortName: name,
      ExternalKey: `key ${name}`,
      Locations: ['local', 'oslo'],
      Tags: [isFar ? 'theirs' : 'mine', ...(name === 'own0' ? ['both'] : [])],
      nschedule_id: ids.get('nschedule'),
      ...(name === 'own1' || isFar ? { mschedule_id: ids.get('mschedule') } : {}),
    });
    const { device_no } = await rest.db.kysely
      .selectFrom('devices')
      .select('device_no')
      .where('device_id', '=', ids.get(name) ?? '')
      .executeTakeFirstOrThrow();
    numbers.set(name, device_no);
  }
  const reader = await account.send('POST', '/keys', {
    Name: 'reader',
    Level: 'UA',
    ...(hasFar ? { Tags: ['mine'] } : {}),
  });
  const readerKey = (reader.json as { readonly Key: string }).Key;
  const write = createWriter({ rest, account, agentNo, locationNo, accountNo, ids });
  return {
    account,
    hasFar,
    readerKey,
    ids,
    async play(step) {
      const no = numbers.get(step.device);
      const masterNo = step.kind === 'behind' ? numbers.get(step.master) : undefined;
      if (no === undefined) return;
      await write(step, no, masterNo);
    },
    async remove(device) {
      await account.send('DELETE', `/devices/${ids.get(device)}`);
      numbers.delete(device);
    },
  };
}

interface WriterDeps {
  readonly rest: RestFixture;
  readonly account: AccountApi;
  readonly accountNo: number;
  readonly locationNo: number;
  readonly agentNo: number;
  readonly ids: Map<string, string>;
}

/** Creates what carries a step out, by the API or as ingest and health write it. */
function createWriter({ rest, account, agentNo, locationNo, accountNo, ids }: WriterDeps) {
  const { kysely } = rest.db;
  return async (step: TwinStep, deviceNo: number, masterNo: number | undefined): Promise<void> => {
    const id = ids.get(step.device) ?? '';
    const nowUs = rest.clock.nowUs();
    switch (step.kind) {
      case 'change':
        await account.send('PUT', `/devices/${id}`, step.body);
        return;
      case 'tag':
        await account.send(step.isOn ? 'PUT' : 'DELETE', `/tags/${ids.get('both')}/devices/${id}`);
        return;
      case 'checks': {
        const starts = Array.from({ length: step.count }, (_, n) => nowUs - 1_000_000 - n * 60_000_000);
        await addChecks(rest, { deviceNo, agentNo, locationNo }, starts);
        ids.set(`check:${step.device}`, checkId({ deviceNo, startUs: starts[0] ?? 0, agentNo }));
        return;
      }
      case 'status':
        return writeStatus({ rest, account, agentNo, locationNo, accountNo, ids }, step, deviceNo);
      case 'maintain':
        return maintain({ rest, account, agentNo, locationNo, accountNo, ids }, step);
      case 'note':
        await account.send('PUT', `/outages/${ids.get(`outage:${step.device}`)}`, { Note: 'a cable' });
        return;
      case 'behind':
        // A master outside of the scope is none for who is limited to it, so the other account has none.
        await kysely
          .updateTable('devices')
          .set({ master_no: masterNo ?? null })
          .where('device_no', '=', deviceNo)
          .execute();
    }
  };
}

const maintained = z.object({ Maintenance: z.array(z.object({ maintenance_id: z.string() })) });

async function maintain(
  { account, ids }: WriterDeps,
  { device, isStart }: TwinStep & { readonly kind: 'maintain' },
): Promise<void> {
  const path = `/devices/${ids.get(device)}`;
  if (!isStart) await account.send('PUT', `${path}/stop-maintenance`);
  else {
    const body = { Duration: '01:00', Reason: 'test' };
    const { json } = await account.send('PUT', `${path}/start-maintenance`, body);
    const [first] = maintained.parse(json).Maintenance;
    ids.set(`maintenance:${device}`, first?.maintenance_id ?? '');
  }
}

/** A status that begins now, with its event, and for Down its alert. */
async function writeStatus(
  { rest, accountNo, locationNo, ids }: WriterDeps,
  { device, status }: TwinStep & { readonly kind: 'status' },
  deviceNo: number,
): Promise<void> {
  const { kysely } = rest.db;
  const nowUs = rest.clock.nowUs();
  await kysely
    .insertInto('status_intervals')
    .values({ device_no: deviceNo, from_us: nowUs, status })
    .execute();
  await kysely
    .updateTable('device_state')
    .set({ status, since_us: nowUs })
    .where('device_no', '=', deviceNo)
    .execute();
  await kysely
    .insertInto('events')
    .values({
      event_id: newId(),
      account_no: accountNo,
      device_no: deviceNo,
      at_us: nowUs,
      recorded_us: nowUs,
      type: status,
      status,
      location_no: locationNo,
      message: `${device} is ${status}`,
    })
    .execute();
  await kysely
    .updateTable('alerts')
    .set({ closed_us: nowUs })
    .where('device_no', '=', deviceNo)
    .where('closed_us', 'is', null)
    .execute();
  if (status !== 'Down') return;
  ids.set(`outage:${device}`, checkId({ deviceNo, startUs: nowUs, agentNo: 0 }));
  const about = { accountNo, locationNo, deviceNo, deviceId: ids.get(device) ?? '' };
  ids.set(`alert:${device}`, await addAlert(rest, about));
}
