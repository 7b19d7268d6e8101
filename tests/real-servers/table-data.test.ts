import { testTable } from './table.ts';

testTable('data');
