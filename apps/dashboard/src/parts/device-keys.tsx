import { useState } from 'preact/hooks';
import { devices, rows } from '../store/account-state.ts';
import { go } from '../store/address.ts';
import { mayOperate, mayWrite } from '../store/credential.ts';
import { acknowledgeDevice, checkDevice, endMaintenanceOf, snoozeDevice } from './device-acts.ts';
import { useKeys } from './keys.ts';
import { MaintenanceDialog } from './maintenance-dialog.tsx';

/**
 * The keys of a row that stands for a device: e, s, m, r and i. `target` is the id of the device under the keys; '':
 * none.
 */
export function DeviceKeys({ target }: { readonly target: () => string }) {
  const [asked, setAsked] = useState<string>();
  const on = (act: (device: { readonly id: string; readonly name: string }) => void) => () => {
    const device = devices.value.get(target());
    if (device !== undefined) act(device);
  };
  const maintain = on((device) => {
    const isMaint = rows.value.find(({ id }) => id === device.id)?.state === 'Maint';
    if (isMaint) endMaintenanceOf(device);
    else setAsked(device.id);
  });
  useKeys({
    ...(mayOperate.value
      ? { e: on(acknowledgeDevice), s: on(snoozeDevice), r: on(checkDevice), m: maintain }
      : {}),
    ...(mayWrite.value ? { i: on(({ id }) => go(`/devices/${id}/edit`)) } : {}),
  });
  const device = asked === undefined ? undefined : devices.value.get(asked);
  if (device === undefined) return null;
  return <MaintenanceDialog id={device.id} name={device.name} onClose={() => setAsked(undefined)} />;
}
