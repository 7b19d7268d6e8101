import type { Catalog } from '../../resources/change.ts';
import type { DeviceWriterDeps } from '../devices/device-follow-ups.ts';
import type { DeviceMaintenance, readMaintenance } from '../devices/device-maintenance-routes.ts';
import type { LocationRow } from '../devices/device-store.ts';
import type { AskedChange, DeviceChangeOutcome } from './device-change-fields.ts';
import type { ResolvedChange } from './judge-devices.ts';

/** Dependencies of applying a change. */
export interface ApplyDeps extends DeviceWriterDeps {
  readonly catalog: Catalog;
  readonly maintenance: Pick<DeviceMaintenance, 'startMaintenance' | 'stopMaintenance'>;
}

/** A change with the things that it names. */
export interface ReadyChange {
  readonly accountNo: number;
  readonly asked: AskedChange;
  readonly wanted: ResolvedChange;
  readonly locations: readonly LocationRow[];
  /** null: what runs is ended; undefined: nothing. */
  readonly maintenance:
    | (ReturnType<typeof readMaintenance> & { readonly maintenanceId: string })
    | null
    | undefined;
}

/**
 * The outcome of writing the settings of some devices: which of them changed, were refused, and may have maintenance.
 */
export interface WrittenDevices {
  readonly changed: readonly number[];
  readonly refused: DeviceChangeOutcome['Refused'];
  readonly others: readonly number[];
}
