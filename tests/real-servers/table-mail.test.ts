import { testTable } from './table.ts';

testTable('mail');
