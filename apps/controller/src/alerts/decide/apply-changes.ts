import type { EventCause } from '@vantage/health';
import {
  applyDown,
  applyInterface,
  applyMaintenanceOver,
  applyUp,
  applyWarning,
  findDown,
  findPartial,
} from './apply-device-changes.ts';
import { applyAnchor, applyLocation } from './apply-location-changes.ts';
import { type ChangeSet, touch } from './change-set.ts';
import type { AlertChange } from './changes.ts';
import { alertKey, type ChangedDevice, type OpenAlert } from './open-alert.ts';

/** The facts that changes are applied to. */
export interface ChangeContext {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly open: readonly OpenAlert[];
  /** Outages of a device that were confirmed within this time count as flapping. */
  readonly flappingWindowUs: number;
  readonly nowUs: number;
}

/** The alerts that changed or are new, and the resulting events. */
export interface AppliedChanges {
  readonly alerts: readonly OpenAlert[];
  readonly events: readonly EventCause[];
}

/**
 * Applies changes one after the other. An alert that opened and ended before any contact was notified is left out.
 * Pure.
 */
export function applyChanges(changes: readonly AlertChange[], context: ChangeContext): AppliedChanges {
  const open = new Map(context.open.map((alert) => [alertKey(alert), alert]));
  const changed = new Set<OpenAlert>();
  const events: EventCause[] = [];
  for (const change of changes) applyChange(change, { ...context, alerts: open, changed, events });
  const alerts = [...changed].filter(({ alertNo, state }) => alertNo !== null || state.phase !== 'ended');
  return { alerts, events };
}

function applyChange(change: AlertChange, changeSet: ChangeSet): void {
  switch (change.kind) {
    case 'down':
      applyDown(change, changeSet);
      return;
    case 'up':
      applyUp(change, changeSet);
      return;
    case 'maintenance-over':
      applyMaintenanceOver(change, changeSet);
      return;
    case 'touched':
      touch(findDown(change.deviceNo, changeSet), changeSet);
      touch(findPartial(change.deviceNo, changeSet), changeSet);
      return;
    case 'partial':
    case 'slow':
    case 'fast':
    case 'certificate':
      applyWarning(change, changeSet);
      return;
    case 'interface-down':
    case 'interface-up':
      applyInterface(change, changeSet);
      return;
    case 'anchor-down':
    case 'anchor-up':
      applyAnchor(change, changeSet);
      return;
    case 'offline':
    case 'online':
    case 'fenced':
      applyLocation(change, changeSet);
      return;
  }
}
