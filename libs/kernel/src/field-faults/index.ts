export type { FieldFault } from './field-fault.ts';
export { faultsOf, sentFault } from './field-faults.ts';
export { unknownField } from './unknown-field.ts';
