import { type DeviceState, worstOf } from './state.ts';

/** A tag as the API lists it. */
export interface ListedTag {
  readonly tag_id: string;
  readonly Name: string;
}

/** A tag, and what the devices with it are. */
export interface TagRow {
  readonly id: string;
  readonly name: string;
  readonly devices: number;
  readonly down: number;
  /** undefined: no device has the tag. */
  readonly worst: DeviceState | undefined;
}

/** The tags whose name contains a text, with counts of their own devices; those of tags below are not included. */
export function tagRows(
  tags: readonly ListedTag[],
  devices: readonly { readonly state: DeviceState; readonly tags: readonly string[] }[],
  text: string,
): readonly TagRow[] {
  const statesOf = new Map<string, DeviceState[]>();
  for (const { state, tags: names } of devices)
    for (const name of names) {
      const states = statesOf.get(name);
      if (states === undefined) statesOf.set(name, [state]);
      else states.push(state);
    }
  const query = text.trim().toLowerCase();
  return tags
    .filter(({ Name }) => Name.toLowerCase().includes(query))
    .map(({ tag_id, Name }) => {
      const states = statesOf.get(Name) ?? [];
      return {
        id: tag_id,
        name: Name,
        devices: states.length,
        down: states.filter((state) => state === 'Down').length,
        worst: states.length === 0 ? undefined : worstOf(states),
      };
    });
}
