import css from './device-links.module.css';

/** Links to devices. Many of them scroll. */
export function DeviceLinks({
  devices,
}: {
  readonly devices: readonly {
    readonly device_id: string;
    readonly ShortName: string;
    readonly FullName?: string | null;
  }[];
}) {
  return (
    <ul class={css['devices']}>
      {devices.map(({ device_id, ShortName, FullName }) => (
        <li key={device_id}>
          <a class="link" href={`/devices/${device_id}`}>
            <bdi>{FullName ?? ShortName}</bdi>
          </a>
        </li>
      ))}
    </ul>
  );
}
