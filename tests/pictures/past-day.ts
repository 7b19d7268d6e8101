import pg from 'pg';

/**
 * Gives all devices a day of checks, one a minute and slower in the afternoon. Each third device has an outage of ten
 * minutes. `url` is the address of the database.
 */
export async function addPastDay(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const past = `
    with past as (select (extract(epoch from now()) * 1e6)::bigint as now_us),
    days as (select device_no, now_us, device_no % 3 = 1 as has_outage,
      (341 + 61 * device_no) % 1300 + 60 as begins from devices, past where Enabled)`;
  await client.query(`${past}
    insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
      dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
    select d.device_no, s.at_us, a.agent_no, a.location_no, s.at_us + 90000, s.at_us + 95000, 1, 0, case when is_down then 3 else 1 end, 0, 0.4,
      2 + random() * 1.5, 7 + random() * 3, 14 + random() * 4, (28 + 34 * busy) * (0.85 + random() * 0.4), 4 + random() * 2, 8, case when is_down then '503 Service Unavailable' else '200 OK' end
    from days d cross join lateral (select agent_no, location_no from agents limit 1) a cross join lateral (
      select now_us - n * 60000000::bigint as at_us, greatest(0, sin((n - 200) / 1440.0 * 2 * pi())) as busy,
        has_outage and n between begins - 9 and begins as is_down
      from generate_series(4, 1438) n) s`);
  await client.query(`${past}
    insert into status_intervals (device_no, from_us, status)
    select device_no, now_us - minutes * 60000000::bigint, status from days,
      lateral (values (1440, 'Up'), (begins, 'Down'), (begins - 10, 'Up')) v (minutes, status)
    where has_outage or minutes = 1440
    on conflict do nothing`);
  await client.query(`update devices set created_us = created_us - 40 * 86400000000::bigint`);
  await client.query('update coverage set from_us = from_us - 86400000000');
  await client.query('update assignment_spans set from_us = from_us - 86400000000');
  await client.end();
}
