import { newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { second, startUs } from './scenario-time.ts';

/** Writers of the rows that a scene begins with, all of one account. */
export function scenarioRows(kysely: Kysely<Tables>, accountNo: number) {
  /** One more connected agent of a Location. */
  const agent = async (locationNo: number, name: string) => {
    const { agent_no } = await kysely
      .insertInto('agents')
      .values({
        agent_id: newId(),
        account_no: accountNo,
        location_no: locationNo,
        name,
        token_hash: Buffer.from(newId()),
        token_expires_us: startUs,
        state: 'Connected',
        last_seen_us: startUs,
      })
      .returning('agent_no')
      .executeTakeFirstOrThrow();
    await kysely
      .insertInto('connection_spans')
      .values({ agent_no, location_no: locationNo, from_us: startUs, to_us: null, session_id: newId() })
      .execute();
    return agent_no;
  };

  return {
    agent,

    /** An online Location with one connected agent. */
    async location(name: string) {
      const { location_no } = await kysely
        .insertInto('locations')
        .values({
          location_id: newId(),
          account_no: accountNo,
          name,
          online: true,
          online_since_us: startUs,
        })
        .returning('location_no')
        .executeTakeFirstOrThrow();
      return { locationNo: location_no, agentNo: await agent(location_no, name) };
    },

    /** A device, assigned to these Locations since the scene's begin. */
    async device(
      places: readonly { readonly locationNo: number; readonly agentNo: number }[],
      { retriesLocally = places.length === 1, method = 'TCP' } = {},
    ) {
      const { device_no } = await kysely
        .insertInto('devices')
        .values({
          device_id: newId(),
          account_no: accountNo,
          method,
          url: 'a:1',
          sealed: Buffer.alloc(1),
          short_name: 'a',
          frequency_min: 1,
          timeout_s: 10,
          retries: 2,
          retry_delay_s: 1,
          locations_given: true,
          changed_us: startUs,
          created_us: startUs,
          updated_us: startUs,
        })
        .returning('device_no')
        .executeTakeFirstOrThrow();
      for (const [rotation_index, place] of places.entries()) {
        const held = { device_no, location_no: place.locationNo, rotation_index };
        await kysely.insertInto('device_locations').values(held).execute();
        const span = {
          ...held,
          agent_no: place.agentNo,
          from_us: startUs,
          to_us: null,
          rotation_size: places.length,
        };
        await kysely
          .insertInto('assignment_spans')
          .values({ ...span, retries_locally: retriesLocally, run_immediately: rotation_index === 0 })
          .execute();
      }
      return device_no;
    },

    /** The agent's stream was cut at this second. */
    async cut(agentNo: number, at: number) {
      const toUs = startUs + at * second;
      await kysely
        .updateTable('connection_spans')
        .set({ to_us: toUs })
        .where('agent_no', '=', agentNo)
        .execute();
      await kysely
        .updateTable('agents')
        .set({ state: 'Away', last_seen_us: toUs, away_since_us: toUs })
        .where('agent_no', '=', agentNo)
        .execute();
    },
  };
}
