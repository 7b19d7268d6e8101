/** The statuses that follow from results alone. Coverage and maintenance override them. */
export const baseStatuses = ['Up', 'Down', 'Unknown'] as const;
export type BaseStatus = (typeof baseStatuses)[number];

/** The statuses of a device as the API shows them: Maint is a maintenance window. */
export const deviceStatuses = ['Up', 'Down', 'Maint', 'Unknown'] as const;
export type DeviceStatus = (typeof deviceStatuses)[number];
