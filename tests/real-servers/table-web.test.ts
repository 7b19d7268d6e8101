import { testTable } from './table.ts';

testTable('web');
