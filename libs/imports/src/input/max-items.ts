/** The items that an import reads at most. An account of the API has fewer devices. */
export const maxItems = 20_000;
