import { deviceSealContext } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import type { SealedJson, Sealer } from '@vantage/storage/secrets/seal';
import { sealedDevice } from '@vantage/storage/secrets/sealed-device';
import type { ClearTarget } from './device-target.ts';

/** Seals URL and Options with their secrets. */
export function sealTarget(sealer: Sealer, deviceId: string, { url, options }: ClearTarget): Buffer {
  const value: Readonly<Record<string, SealedJson>> = sealedDevice.parse({ url, options });
  return sealer.seal(value, deviceSealContext(deviceId));
}

/** Opens what `sealTarget` sealed. */
export function openTarget(sealer: Sealer, deviceId: string, sealed: Uint8Array): ClearTarget {
  const parsed = sealedDevice.safeParse(sealer.open(sealed, deviceSealContext(deviceId)));
  if (!parsed.success)
    throw new Fault('drop', 'sealed', `the sealed value of device ${deviceId} has another form`);
  return parsed.data;
}

/** Like `openTarget`; where the key is lost, what the API shows of it, masks and all. */
export function openOrShown(
  sealer: Sealer,
  row: { readonly device_id: string; readonly sealed: Uint8Array } & ShownTarget,
): ClearTarget {
  try {
    return openTarget(sealer, row.device_id, row.sealed);
  } catch (error) {
    if (error instanceof Fault) return { url: row.url, options: row.options };
    throw error;
  }
}

interface ShownTarget {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
}
