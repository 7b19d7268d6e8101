/** A UTC day of a device. */
export interface DeviceDay {
  readonly deviceNo: number;
  /** The start of the day. */
  readonly dayUs: number;
}
