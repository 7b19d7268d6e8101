export { type FieldFault, faultsOf, sentFault } from './field-faults.ts';
export { unknownField } from './unknown-field.ts';
