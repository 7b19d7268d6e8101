/** The identity of a check: its device, its start (microseconds since 1970) and the agent that ran it. */
export interface CheckKey {
  readonly deviceNo: number;
  readonly startUs: number;
  readonly agentNo: number;
}

/** The public id of a check: 48 lowercase hex characters, 8 bytes each for device, start and agent. */
export function checkId(key: CheckKey): string {
  return [key.deviceNo, key.startUs, key.agentNo].map((part) => part.toString(16).padStart(16, '0')).join('');
}

/** Reads a check_id; undefined for other texts. */
export function parseCheckId(id: string): CheckKey | undefined {
  const [deviceNo, startUs, agentNo] = [0, 16, 32].map((at) => Number.parseInt(id.slice(at, at + 16), 16));
  if (deviceNo === undefined || startUs === undefined || agentNo === undefined) return undefined;
  if (deviceNo > 0x7fff_ffff || agentNo > 0x7fff_ffff || startUs > Number.MAX_SAFE_INTEGER) return undefined;
  const key = { deviceNo, startUs, agentNo };
  return checkId(key) === id ? key : undefined;
}
