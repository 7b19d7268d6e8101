import { isPrivateHost } from '@vantage/kernel';
import type { Location } from '@vantage/storage/entities';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { Conflict } from '../../resources/refusal.ts';
import { devicesOfLocation } from './location-store.ts';

/** A refusal names this many devices. */
const maxNamed = 10;

/** The refusal of PublicTargetsOnly while devices of the Location have private addresses. */
export async function privateTargets(
  transaction: ChangeTransaction,
  location: Location,
): Promise<Conflict | undefined> {
  // Loaded here: the operator's commands change no Location, and the probes are a sixth of the time of their start.
  const { probeFor } = await import('@vantage/probes');
  const found: string[] = [];
  let rows = await devicesOfLocation(transaction, location, 0);
  while (rows.length > 0 && found.length < maxNamed) {
    for (const { method, url, short_name, device_id } of rows) {
      const target = probeFor(method)?.parseTarget(url);
      if (target?.ok === true && isPrivateHost(target.target.host))
        found.push(`${short_name} (${device_id})`);
    }
    rows = await devicesOfLocation(transaction, location, rows.at(-1)?.device_no ?? 0);
  }
  if (found.length === 0) return undefined;
  const shown = found.slice(0, maxNamed).join(', ');
  return {
    kind: 'conflict',
    reason: 'in_use',
    message: `PublicTargetsOnly cannot be set while devices of this Location have private addresses: ${shown}${found.length > maxNamed ? ' and others' : ''}.`,
    faults: [{ field: 'PublicTargetsOnly', message: 'contradicts devices with private addresses' }],
  };
}
