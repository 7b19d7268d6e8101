import { z } from 'zod';
import { addAccount } from './one-account.ts';
import type { RestFixture } from './rest-fixture.ts';
import { addAlert, addChecks, addMaintenance, createSampleAccount } from './sample-account.ts';

const issued = z.object({ key_id: z.string(), Key: z.string() });

/**
 * An account with a device tagged `mine` and one tagged `theirs`, each with checks, an alert, maintenance and events.
 */
export async function addScopedAccount(rest: RestFixture, name: string) {
  const account = await addAccount(rest, name);
  const whole = await createSampleAccount(rest, account, account.key);
  const [mine, theirs] = [
    await account.create('/tags', { Name: 'mine' }),
    await account.create('/tags', { Name: 'theirs' }),
  ];
  const device = async (ShortName: string, tag: string) => {
    const id = await account.create('/devices', {
      Method: 'TCP',
      URL: `${ShortName}.example:1`,
      ShortName,
      Tags: [tag],
      Severity: 'critical',
    });
    const { device_no } = await rest.db.kysely
      .selectFrom('devices')
      .select('device_no')
      .where('device_id', '=', id)
      .executeTakeFirstOrThrow();
    const { accountNo, locationNo } = account;
    await addChecks(rest, { deviceNo: device_no, agentNo: whole.agentNo, locationNo }, [
      rest.clock.nowUs() - 20_000_000,
    ]);
    const alert = await addAlert(rest, { accountNo, locationNo, deviceNo: device_no, deviceId: id });
    return { id, no: device_no, alert, maintenance: await addMaintenance(rest, device_no) };
  };
  const own = await device('own', mine);
  const foreign = await device('foreign', theirs);
  const keyOf = async (Level: string, Tags: readonly string[] | null = [mine]) =>
    issued.parse((await account.send('POST', '/keys', { Name: Level, Level, Tags })).json).Key;
  return { ...account, whole, tags: { mine, theirs }, own, foreign, keyOf };
}
