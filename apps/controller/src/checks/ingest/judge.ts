import { type Acceptance, refusal, strangerReason } from './accept.ts';
import type { Item, Sorted } from './batch.ts';
import type { ParsedDiagnostics, ParsedResult } from './record.ts';

/** The results and diagnostics that ingest accepts, and the others as records for the quarantine. */
export function judge({ results, diagnostics: allDiagnostics }: Sorted, acceptance: Acceptance) {
  const accepted: ParsedResult[] = [];
  const diagnostics: ParsedDiagnostics[] = [];
  const refused: { readonly item: Item; readonly reason: string }[] = [];
  for (const { item, result } of results) {
    const reason = refusal(result, acceptance);
    if (reason === undefined) accepted.push(result);
    else refused.push({ item, reason });
  }
  for (const { item, diagnostics: one } of allDiagnostics) {
    const reason = strangerReason(one, acceptance.devices);
    if (reason === undefined) diagnostics.push(one);
    else refused.push({ item, reason });
  }
  return { accepted, diagnostics, refused };
}
