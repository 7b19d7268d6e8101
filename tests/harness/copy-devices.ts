/** Runs a statement of PostgreSQL with its values. */
type Query = (text: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly unknown[] }>;

/**
 * Copies a device with its Locations in the database: the API would take minutes for tens of thousands. The copies have
 * the sealed settings of the device, which open under its id only, so an agent cannot check them before they are sealed
 * anew.
 */
export async function copyDevices(query: Query, deviceNo: number, count: number): Promise<void> {
  const { rows } = await query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_name = 'devices' and table_schema = 'public'
       and column_name not in ('device_no', 'device_id') and is_generated = 'NEVER'`,
    [],
  );
  const [{ names }] = rows as readonly [{ readonly names: string }];
  await query(
    `with made as (
       insert into devices (device_id, ${names})
       select encode(sha256(convert_to(n || device_id, 'utf8')), 'hex')::char(48), ${names}
       from devices, generate_series(1, $2::int) n where device_no = $1 returning device_no)
     insert into device_locations (device_no, location_no, rotation_index)
     select made.device_no, there.location_no, there.rotation_index
     from made, device_locations there where there.device_no = $1`,
    [deviceNo, count],
  );
}
