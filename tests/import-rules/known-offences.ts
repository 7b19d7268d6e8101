/** Offences that stood when the rules were written. The list only shrinks: delete a line when its offence is gone. */
export const knownOffences: ReadonlySet<string> = new Set<string>();
