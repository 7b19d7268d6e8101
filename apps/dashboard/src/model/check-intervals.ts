/** The intervals between checks that the API accepts, seconds. */
export const checkIntervals = [5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];
