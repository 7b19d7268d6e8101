// The data of one running system go over to another database and back, and then into a backup. They run in this order.
import './moved/database-copy.ts';
import './moved/backup.ts';
